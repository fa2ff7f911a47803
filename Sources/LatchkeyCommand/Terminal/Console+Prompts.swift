import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Console {
    /// Asks the user to enter a line.
    ///
    /// - Parameters:
    ///   - question: The prompt, which is written to standard error and followed by a space.
    ///   - flag: The flag that sets the value. The error for a missing terminal refers to this flag.
    /// - Returns: The line without its line ending. The line is never empty, and its white space is not
    ///   trimmed.
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no terminal or the line is empty.
    func ask(_ question: String, flag: String) async throws(CommandFailure) -> String {
        guard isInteractive else {
            throw CommandFailure(.usage, message: "\(flag) is required when there is no terminal")
        }
        prompt(question)
        return try await line()
    }

    /// Asks the user to enter a line that isn't shown on the terminal.
    ///
    /// Echoing is turned back on before this method returns, or when a signal ends the process.
    ///
    /// - Parameters:
    ///   - question: The prompt, which is written to standard error and followed by a space.
    ///   - flag: The flag that sets the value. The error for a missing terminal refers to this flag.
    /// - Returns: The line without its line ending. The line is never empty, and its white space is not
    ///   trimmed.
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no terminal or the line is empty.
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

    /// Asks the user to enter a new secret twice, until both inputs match.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no terminal or a line is empty.
    func askTwice(_ question: String, flag: String) async throws(CommandFailure) -> Secret {
        while true {
            let secret = try await askHidden(question, flag: flag)
            if try await askHidden("Repeat it:", flag: flag) == secret { return secret }
            report("The passwords do not match.")
        }
    }

    /// Reads the first line of standard input, without its line ending.
    ///
    /// Use this method to read passwords that are passed by a script. On a terminal, the line is echoed and
    /// there is no prompt.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no input or the line is empty.
    func firstInputLine() async throws(CommandFailure) -> Secret {
        Secret(try await line())
    }

    /// Replaces the progress message with a prompt.
    ///
    /// The cursor stays on the same line.
    private func prompt(_ question: String) {
        showProgress(question + " ")
    }

    /// Reads a line on a separate thread, because waiting for the user can block for a long time.
    ///
    /// Cancelling the task doesn't interrupt the read.
    ///
    /// - Parameter wrap: A function that is called on a separate thread with a closure that reads the line.
    ///   The function must call this closure.
    /// - Returns: The line without its line ending.
    /// - Throws: ``CommandFailure`` with the code `usage` if the line is empty or there is no more input, or
    ///   `failed` if the thread can't be started.
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
