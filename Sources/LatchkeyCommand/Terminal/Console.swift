import LatchkeyLinux
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The standard streams and the environment that a command uses.
///
/// Everything that a command prints goes through this type, which filters it with ``TerminalText``. If
/// several tasks write at the same time, their output may be interleaved.
struct Console: Sendable {
    /// The environment variables at the time the process was started.
    let environment: [String: String]

    /// Handles the signals that end or stop the process.
    let interruption: Interruption

    /// The terminal on which the user can be prompted, or `nil` if standard input or standard error isn't a
    /// terminal.
    ///
    /// Standard output may be redirected.
    let terminal: SystemTerminal?

    /// Whether the user can be prompted.
    var isInteractive: Bool { terminal != nil }

    /// Creates a console, whose terminal settings are restored if a signal ends or stops the process.
    init(environment: [String: String], interruption: Interruption) {
        self.environment = environment
        self.interruption = interruption
        terminal = SystemTerminal()
        if let terminal { interruption.protect(terminal) }
    }

    /// Writes a line of the command's result to standard output.
    ///
    /// The line can contain text from servers and other users; see ``TerminalText``.
    func write(_ line: String) {
        StandardStream.output.write(TerminalText(line) + TerminalText(.newLine))
    }

    /// Writes lines of the command's result to standard output.
    func write(lines: [String]) {
        for line in lines { write(line) }
    }

    /// Writes a text that is part of this program, such as a help page, to standard output.
    ///
    /// The text's line breaks are kept.
    func write(page: String) {
        write(lines: page.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) })
    }

    /// Writes a value as a single line of JSON to standard output.
    func write(json value: JSONValue) {
        let text = (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        write(jsonLine: text)
    }

    /// Writes a line of an indented JSON text to standard output.
    func write(jsonLine: String) {
        StandardStream.output.write(TerminalText(json: jsonLine) + TerminalText(.newLine))
    }

    /// Writes a message that isn't part of the command's result to standard error.
    func report(_ line: String) {
        StandardStream.error.write(TerminalText(line) + TerminalText(.newLine))
    }

    /// Writes a message with several lines to standard error.
    func report(lines: [String]) {
        for line in lines { report(line) }
    }

    /// Replaces the progress message.
    ///
    /// If the text is empty, the progress message is removed.
    ///
    /// If standard error isn't a terminal, this method has no effect.
    func showProgress(_ text: String) {
        guard StandardStream.error.isTerminal else { return }
        StandardStream.error.write(TerminalText(.clearLine) + TerminalText(text))
    }
}
