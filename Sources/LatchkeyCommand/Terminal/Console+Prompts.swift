import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Console {
    /// Prompts the user for a line.
    ///
    /// - Parameters:
    ///   - question: The prompt, which is written to standard error and followed by a space.
    ///   - flag: The flag that passes the value without a terminal, which the error message names.
    /// - Returns: The line, which is never empty, without its line ending but otherwise not trimmed.
    /// - Throws: ``CommandFailure`` of the kind `usage` if there is no terminal or the line is empty.
    func ask(_ question: String, flag: String) async throws(CommandFailure) -> String {
        guard isInteractive else {
            throw CommandFailure(.usage, message: "\(flag) is required when there is no terminal")
        }
        prompt(question)
        return try await line()
    }

    /// Prompts the user for a line that is not echoed on the terminal.
    ///
    /// The echo is restored before the method returns, and also if a signal ends the process.
    ///
    /// - Parameters:
    ///   - question: The prompt, which is written to standard error and followed by a space.
    ///   - flag: The flag that passes the value without a terminal, which the error message names.
    /// - Returns: The line, which is never empty, without its line ending but otherwise not trimmed.
    /// - Throws: ``CommandFailure`` of the kind `usage` if there is no terminal or the line is empty.
    func askHidden(_ question: String, flag: String) async throws(CommandFailure) -> Secret {
        guard isInteractive else {
            throw CommandFailure(.usage, message: "\(flag) is required when there is no terminal")
        }
        prompt(question)
        let interruption = interruption
        return Secret(
            try await line { read in
                HiddenInput(STDIN_FILENO).withoutEcho(interruption: interruption) { read() }
            }
        )
    }

    /// Prompts the user for a new secret twice, until both inputs are identical.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if there is no terminal or a line is empty.
    func askTwice(_ question: String, flag: String) async throws(CommandFailure) -> Secret {
        while true {
            let secret = try await askHidden(question, flag: flag)
            if try await askHidden("Repeat it:", flag: flag) == secret { return secret }
            report("The passwords do not match.")
        }
    }

    /// Reads the first line of standard input, without its line ending.
    ///
    /// On a terminal, the line is echoed and there is no prompt, because this method is meant for passwords
    /// from a script.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if the line is missing or empty.
    func firstInputLine() async throws(CommandFailure) -> Secret {
        Secret(try await line())
    }

    /// Writes a prompt in place of the progress message, and leaves the cursor on the line.
    private func prompt(_ question: String) {
        showProgress(question + " ")
    }

    /// Reads a line on a separate thread, because waiting for user input blocks for a long time.
    ///
    /// Cancelling the task does not interrupt the read.
    ///
    /// - Parameter wrap: Runs its argument, which reads the line, on the separate thread.
    /// - Returns: The line without its line ending.
    /// - Throws: ``CommandFailure`` of the kind `usage` for an empty line and at the end of the input, or
    ///   `failed` if no thread can be started.
    private func line(
        reading wrap: @escaping @Sendable (() -> String?) -> String? = { $0() }
    ) async throws(CommandFailure) -> String {
        let input = Deferred<String?>()
        do {
            _ = try WorkThread { input.set(wrap { readLine(strippingNewline: true) }) }
        } catch {
            throw CommandFailure(.failed, message: "cannot start a thread to read the input")
        }
        guard let text = await input.value, !text.isEmpty else {
            throw CommandFailure(.usage, message: "no input was given")
        }
        return text
    }
}
