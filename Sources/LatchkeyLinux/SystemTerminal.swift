import Dispatch
import Glibc
import LatchkeyModel
public import LatchkeyUI

/// The terminal that the process was started from.
///
/// While a line is being read, Control-C cancels the prompt instead of ending the process, and Control-Z has
/// no effect. The terminal's settings are restored after each line. Call ``restore()`` before a signal ends
/// the process.
public final class SystemTerminal: Terminal {
    private let input: Int32
    private let output: Int32
    private let queue = DispatchQueue(label: "latchkey.terminal")
    private let state = Locked(State())

    private struct State {
        /// The settings to restore after the line that is being read.
        var usual: termios?
        var isShowingProgress = false
    }

    /// Creates a terminal that uses standard input and standard error.
    ///
    /// Standard output is reserved for a command's results.
    ///
    /// Returns `nil` if standard input or standard error is not a terminal.
    public convenience init?() {
        self.init(input: STDIN_FILENO, output: STDERR_FILENO)
    }

    /// Creates a terminal from two file descriptors.
    ///
    /// The descriptors must stay open while the terminal is in use.
    ///
    /// - Parameters:
    ///   - input: The descriptor to read from.
    ///   - output: The descriptor to write to. The result is `nil` if one of the descriptors is not a
    ///     terminal.
    public init?(input: Int32, output: Int32) {
        guard isatty(input) == 1, isatty(output) == 1 else { return nil }
        self.input = input
        self.output = output
    }

    /// Writes a line to the terminal, without any characters that control it.
    public func write(_ line: String) {
        showProgress(nil)
        write(TerminalText(line) + TerminalText(.newLine))
    }

    /// Shows a progress message on the current line, or clears the line if it is `nil`.
    public func showProgress(_ activity: String?) {
        let wasShowing = state.withLock { state in
            defer { state.isShowingProgress = activity != nil }
            return state.isShowingProgress
        }
        guard wasShowing || activity != nil else { return }
        write(TerminalText(.clearLine) + TerminalText(activity ?? ""))
    }

    /// Reads a line on another thread.
    ///
    /// Concurrent calls read their lines one after the other.
    public func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        guard let wake = WakePipe() else { throw .ended }
        defer { wake.close() }
        let result: Result<String, TerminalInputError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    showProgress(nil)
                    continuation.resume(returning: line(after: prompt, isHidden: isHidden, wake: wake))
                }
            }
        } onCancel: {
            wake.signal()
        }
        return try result.get()
    }

    /// Restores the terminal's settings if a line is being read.
    ///
    /// Call `restore()` before a signal ends the process.
    public func restore() {
        state.withLock { state in
            guard var usual = state.usual else { return }
            tcsetattr(input, TCSANOW, &usual)
            state.usual = nil
        }
    }

    // MARK: Reading

    /// The character that Control-C sends.
    private static let interrupt: UInt8 = 0x03

    /// Reads a line using the terminal's own line editing.
    ///
    /// The prompt is written after the settings were changed, so that input typed after the prompt is never
    /// shown or discarded.
    private func line(
        after prompt: String,
        isHidden: Bool,
        wake: WakePipe
    ) -> Result<String, TerminalInputError> {
        guard beginReading(isHidden: isHidden) else { return .failure(.ended) }
        defer { restore() }
        write(TerminalText(prompt))
        var bytes: [UInt8] = []
        while true {
            guard wake.waits(for: input) else {
                write(TerminalText(.newLine))
                return .failure(.interrupted)
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                write(TerminalText(.newLine))
                return .failure(.ended)
            }
            // If there is no line ending, the user pressed Control-D in the middle of a line, and the line
            // continues.
            bytes += buffer.prefix(count)
            switch bytes.last {
            case Self.interrupt:
                write(TerminalText(.newLine))
                return .failure(.interrupted)
            case UInt8(ascii: "\n"):
                return .success(String(decoding: bytes.dropLast(), as: UTF8.self))
            default: continue
            }
        }
    }

    /// Changes the settings so that Control-C ends the line instead of sending a signal, and hidden input is
    /// not echoed.
    ///
    /// For hidden input, anything that was typed ahead is discarded because the terminal has already shown
    /// it.
    private func beginReading(isHidden: Bool) -> Bool {
        state.withLock { state in
            var mode = termios()
            guard tcgetattr(input, &mode) == 0 else { return false }
            state.usual = mode
            mode.c_lflag |= tcflag_t(ICANON)
            mode.c_lflag &= ~tcflag_t(ISIG)
            withUnsafeMutableBytes(of: &mode.c_cc) { $0[Int(VEOL)] = Self.interrupt }
            if isHidden {
                mode.c_lflag &= ~tcflag_t(ECHO)
                // Line endings are still echoed so that later output starts on a new line.
                mode.c_lflag |= tcflag_t(ECHONL)
            }
            return tcsetattr(input, isHidden ? TCSAFLUSH : TCSADRAIN, &mode) == 0
        }
    }

    /// Writes all bytes of the text, if necessary with several system calls.
    ///
    /// Writing stops at the first error other than `EINTR`.
    private func write(_ text: TerminalText) {
        var rest = Array(text.text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
