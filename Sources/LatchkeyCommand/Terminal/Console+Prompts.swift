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

    /// Prompts the user for a new secret until it was entered twice identically.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if there is no terminal or a line is empty.
    func askTwice(_ question: String, flag: String) async throws(CommandFailure) -> Secret {
        while true {
            let secret = try await askHidden(question, flag: flag)
            if try await askHidden("Repeat it:", flag: flag) == secret { return secret }
            report("The passwords do not match.")
        }
    }

    /// Reads the first line of the standard input.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if it is missing or empty.
    func firstInputLine() async throws(CommandFailure) -> Secret {
        Secret(try await line())
    }

    private func prompt(_ question: String) {
        showProgress(question + " ")
    }

    /// Reads a line on a thread of its own, because user input blocks for a long time.
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
