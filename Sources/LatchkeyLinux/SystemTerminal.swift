import Dispatch
import Glibc
import LatchkeyModel
public import LatchkeyTerminal

/// The terminal that the process was started from.
///
/// While a line is being read, Control-C cancels the prompt instead of ending the process, and Control-Z has
/// no effect. The terminal's settings are restored after each line, and when the process exits. Call
/// ``restore()`` before a signal ends or stops the process, and ``resume()`` when the process continues. Instances
/// with the same input share their settings, and read their lines one after the other. While an app that
/// ``DesktopSchemeHandlers`` has opened uses the terminal, prompts wait, and output is shown afterwards.
public final class SystemTerminal: Terminal {
    private let input: Int32
    private let output: Int32
    private let shared: Shared
    private let isShowingProgress = Locked(false)

    /// The state that all instances with the same input share.
    ///
    /// Otherwise, one instance would take the settings that another one has changed for the usual ones.
    private final class Shared: Sendable {
        let queue = DispatchQueue(label: "latchkey.terminal")
        let state = Locked(State())
    }

    /// The shared parts, by file descriptor.
    private static let allShared = Locked<[Int32: WeakShared]>([:])

    /// A reference that doesn't outlive the terminals, because the system reuses the numbers of descriptors.
    private struct WeakShared: Sendable {
        weak let shared: Shared?
    }

    private struct State {
        /// The settings to restore, or `nil` if they haven't been changed.
        var usual: termios?
        /// The line that is being read.
        var line: (prompt: String, isHidden: Bool)?
        /// The number of operations during which input is hidden even if no line is being read.
        var hidingOperations = 0
        /// Whether the settings were restored because a signal stops the process.
        var isSuspended = false
        /// Whether the settings were restored because the process ends.
        var isEnding = false
        /// Whether the settings were restored because another program uses the terminal.
        var isHandedOver = false
        /// The output to show when the terminal isn't used by another program anymore, or `nil` to show it at once.
        var held: [Output]?
    }

    private struct Output {
        let terminal: SystemTerminal
        let text: TerminalText
        let isProgress: Bool
    }

    /// The settings to restore when the process exits, by file descriptor.
    private static let changed = Locked<[Int32: termios]>([:])

    /// Registers a function that restores the settings when the process exits.
    private static let restoresAtExit: Void = {
        atexit {
            for (descriptor, usual) in SystemTerminal.changed.withLock(\.self) {
                var usual = usual
                tcsetattr(descriptor, TCSANOW, &usual)
            }
        }
    }()

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
        shared = Self.allShared.withLock { all in
            let shared = all[input]?.shared ?? Shared()
            all[input] = WeakShared(shared: shared)
            return shared
        }
    }

    /// Writes a line to the terminal, without any characters that control it.
    public func write(_ line: String) {
        showProgress(nil)
        write(TerminalText(line) + TerminalText(.newLine))
    }

    /// Shows a progress message on the current line, or clears the line if it is `nil`.
    public func showProgress(_ activity: String?) {
        let wasShowing = isShowingProgress.withLock { isShowing in
            defer { isShowing = activity != nil }
            return isShowing
        }
        guard wasShowing || activity != nil else { return }
        write(TerminalText(.clearLine) + TerminalText(activity ?? ""), isProgress: true)
    }

    /// Reads a line on another thread.
    ///
    /// Concurrent calls read their lines one after the other. If the task is cancelled while another call reads its
    /// line, the prompt is never shown.
    public func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        guard let wake = WakePipe() else { throw .ended }
        defer { wake.close() }
        return try await inTurn { [self] in
            showProgress(nil)
            return line(after: prompt, isHidden: isHidden, wake: wake)
        } onCancel: {
            wake.signal()
        }
    }

    /// Performs an operation after all earlier prompts and programs, on another thread.
    ///
    /// If the task is cancelled before that, the operation is never performed.
    private func inTurn<Value: Sendable>(
        _ operation: @escaping @Sendable () -> Result<Value, TerminalInputError>,
        onCancel: @Sendable () -> Void = {}
    ) async throws(TerminalInputError) -> Value {
        let turn = TerminalTurn<Value>()
        let result: TerminalTurn<Value>.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard turn.wait(with: continuation) else { return }
                shared.queue.async {
                    turn.begin()?.resume(returning: operation())
                }
            }
        } onCancel: {
            onCancel()
            turn.cancel()
        }
        return try result.get()
    }

    /// Hides everything that the user types until an operation has ended, also between its lines.
    public func hidingInput<Outcome: Sendable, Failure: Error>(
        during operation: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        change { $0.hidingOperations += 1 }
        defer { change { $0.hidingOperations -= 1 } }
        return try await operation()
    }

    /// Restores the terminal's settings if a line is being read.
    ///
    /// Call `restore()` before a signal ends or stops the process.
    public func restore() {
        change { $0.isSuspended = true }
    }

    /// Restores the terminal's settings for good, because the process ends.
    ///
    /// All later prompts fail with `ended`.
    package func restoreAtEnd() {
        change { $0.isEnding = true }
    }

    /// Changes the terminal's settings again after ``restore()``, and repeats the prompt of the line that is
    /// being read.
    ///
    /// Call `resume()` when the process continues after it was stopped. Shells change the settings when a
    /// process is stopped, so this is necessary even if ``restore()`` couldn't be called.
    public func resume() {
        change { $0.isSuspended = false }
        if let line = shared.state.withLock(\.line) { write(TerminalText(line.prompt)) }
    }

    // MARK: Other programs

    /// Lets another program use the terminal, on another thread.
    ///
    /// In the meantime, prompts wait, and all output is held back. If the task is cancelled while an earlier prompt is
    /// open, the program isn't run. Later, cancellation has no effect.
    ///
    /// - Parameter program: Runs the program with the descriptors to read from and to write to, and afterwards restores
    ///   the settings and the foreground process group.
    /// - Returns: The program's result.
    /// - Throws: `interrupted` if the task is cancelled, or `ended` if the process ends.
    func handOver<Outcome: Sendable>(
        to program: @escaping @Sendable (_ input: Int32, _ output: Int32) -> Outcome
    ) async throws(TerminalInputError) -> Outcome {
        try await inTurn { [self] in
            showProgress(nil)
            change { state in
                state.isHandedOver = true
                state.held = []
            }
            defer { takeBack() }
            guard !shared.state.withLock(\.isEnding) else { return .failure(.ended) }
            return .success(program(input, output))
        }
    }

    private func takeBack() {
        // The input is hidden again before slow output.
        change { $0.isHandedOver = false }
        while true {
            let outputs = shared.state.withLock { state in
                let outputs = state.held ?? []
                state.held = outputs.isEmpty ? nil : []
                return outputs
            }
            guard !outputs.isEmpty else { return }
            for output in outputs { output.terminal.send(output.text) }
        }
    }

    // MARK: Reading

    /// The character that Control-C sends.
    private static let interrupt: UInt8 = 0x03

    /// Reads a line using the terminal's own line editing, again if it isn't UTF-8.
    ///
    /// The prompt is written after the settings were changed, so that hidden input typed after the prompt is
    /// never shown. Input is never discarded, even if it is typed before the prompt.
    private func line(
        after prompt: String,
        isHidden: Bool,
        wake: WakePipe
    ) -> Result<String, TerminalInputError> {
        let isReady = change { state in
            state.line = (prompt, isHidden)
            state.isSuspended = false
        }
        defer { change { $0.line = nil } }
        guard isReady, !shared.state.withLock(\.isEnding) else { return .failure(.ended) }
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
                if let text = try? String(utf8: bytes.dropLast()) { return .success(text) }
                write(TerminalText("The input is not UTF-8. Please enter it again.") + TerminalText(.newLine))
                write(TerminalText(prompt))
                bytes = []
            default: continue
            }
        }
    }

    /// Changes the state, and then the settings so that they match it.
    ///
    /// - Returns: Whether the settings could be changed.
    @discardableResult
    private func change(_ body: (inout State) -> Void) -> Bool {
        shared.state.withLock { state in
            body(&state)
            let isHidden = state.line?.isHidden == true || state.hidingOperations > 0
            guard !state.isSuspended, !state.isEnding, !state.isHandedOver, state.line != nil || isHidden
            else {
                guard var usual = state.usual else { return true }
                state.usual = nil
                Self.changed.withLock { _ = $0.removeValue(forKey: input) }
                return tcsetattr(input, TCSANOW, &usual) == 0
            }
            var mode = termios()
            guard tcgetattr(input, &mode) == 0 else { return false }
            let usual = state.usual ?? mode
            state.usual = usual
            Self.changed.withLock { $0[input] = usual }
            _ = Self.restoresAtExit
            mode = usual
            if state.line != nil {
                // Control-C ends the line instead of sending a signal.
                mode.c_lflag |= tcflag_t(ICANON)
                mode.c_lflag &= ~tcflag_t(ISIG)
                withUnsafeMutableBytes(of: &mode.c_cc) { $0[Int(VEOL)] = Self.interrupt }
            }
            if isHidden {
                mode.c_lflag &= ~tcflag_t(ECHO)
                // Line endings are still echoed so that later output starts on a new line.
                mode.c_lflag |= tcflag_t(ECHONL)
            }
            // Keep what has already been typed, because password managers and scripts don't wait for
            // prompts.
            return tcsetattr(input, TCSADRAIN, &mode) == 0
        }
    }

    /// Writes the text now, or after another program has used the terminal.
    private func write(_ text: TerminalText, isProgress: Bool = false) {
        let isHeld = shared.state.withLock { state in
            guard var held = state.held else { return false }
            // Only the last one of several progress messages in a row would remain visible.
            if isProgress, let last = held.last, last.isProgress, last.terminal === self { held.removeLast() }
            held.append(Output(terminal: self, text: text, isProgress: isProgress))
            state.held = held
            return true
        }
        if !isHeld { send(text) }
    }

    /// Writes all bytes of the text, if necessary with several system calls.
    ///
    /// Writing stops at the first error other than `EINTR`.
    private func send(_ text: TerminalText) {
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
