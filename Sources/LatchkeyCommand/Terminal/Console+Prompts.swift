import LatchkeyLinux
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTerminal

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
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no terminal or the line is empty, or
    ///   `interrupted` if the user presses Control-C.
    func ask(_ question: String, flag: String) async throws(CommandFailure) -> String {
        try await line(question, flag: flag, isHidden: false)
    }

    /// Asks the user to enter a line that isn't shown on the terminal.
    ///
    /// The parameters and errors are those of ``ask(_:flag:)``.
    func askHidden(_ question: String, flag: String) async throws(CommandFailure) -> Secret {
        Secret(try await line(question, flag: flag, isHidden: true))
    }

    /// Asks the user to enter a new secret twice, until both inputs match.
    ///
    /// The parameters and errors are those of ``ask(_:flag:)``.
    func askTwice(_ question: String, flag: String) async throws(CommandFailure) -> Secret {
        guard let terminal else { throw missingTerminal(flag) }
        return try await terminal.hidingInput { () async throws(CommandFailure) in
            while true {
                let secret = try await askHidden(question, flag: flag)
                if try await askHidden("Repeat it:", flag: flag) == secret { return secret }
                report("The passwords do not match.")
            }
        }
    }

    /// Reads the first line of standard input, without its line ending.
    ///
    /// Use this method to read passwords that are passed by a script. On a terminal, the line is echoed and
    /// there is no prompt. The line is read on a separate thread, because waiting for it can block for a long
    /// time. Cancelling the task doesn't interrupt the read.
    ///
    /// A byte-order mark is skipped.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no input, or the line is empty or isn't
    ///   UTF-8, or `failed` if the thread can't be started.
    func firstInputLine() async throws(CommandFailure) -> Secret {
        let input = Deferred<[UInt8]>()
        do {
            _ = try WorkThread { input.set(Self.lineBytes()) }
        } catch {
            throw CommandFailure(.failed, message: "cannot start a thread to read the input")
        }
        let bytes = await input.value.withoutByteOrderMark
        guard !bytes.isEmpty else { throw Self.noInput }
        do {
            return Secret(try String(utf8: bytes))
        } catch {
            throw CommandFailure(.usage, message: "the input is \(error)")
        }
    }

    /// Reads a line from standard input and removes its line ending.
    ///
    /// The line is read byte by byte, so that the rest of the input isn't consumed.
    private static func lineBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count == 1, byte != UInt8(ascii: "\n") {
                bytes.append(byte)
                continue
            }
            if count == 1, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return bytes
        }
    }

    /// Replaces the progress message with a prompt, and reads a line.
    private func line(
        _ question: String,
        flag: String,
        isHidden: Bool
    ) async throws(CommandFailure) -> String {
        guard let terminal else { throw missingTerminal(flag) }
        showProgress("")
        let text: String
        do throws(TerminalInputError) {
            text = try await terminal.readLine(question + " ", isHidden: isHidden)
        } catch {
            throw failure(for: error)
        }
        guard !text.isEmpty else { throw Self.noInput }
        return text
    }

    private static let noInput = CommandFailure(.usage, message: "no input was given")

    private func missingTerminal(_ flag: String) -> CommandFailure {
        CommandFailure(.usage, message: "\(flag) is required when there is no terminal")
    }

    private func failure(for error: TerminalInputError) -> CommandFailure {
        switch error {
        case .interrupted: CommandFailure(.interrupted, message: "cancelled")
        case .ended: Self.noInput
        }
    }
}
