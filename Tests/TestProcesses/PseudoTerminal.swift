import Foundation
import LatchkeyModel
import TestProcessesShim

/// A terminal for child processes.
///
/// A test can read from it and type like a user.
package final class PseudoTerminal: Sendable {
    private struct State {
        var text: [UInt8] = []
        /// The number of bytes that earlier calls have already returned.
        var read = 0
        /// Whether the output has ended.
        var isClosed = false
        var waiters: [(text: String, continuation: CheckedContinuation<String, Never>)] = []
    }

    /// The path of the terminal device.
    package let path: String

    private let descriptor: Int32
    /// An open descriptor that keeps the terminal alive before and after the child process uses it.
    private let device: Int32
    private let state = Locked(State())

    /// Opens a terminal.
    package init() throws {
        var name = [CChar](repeating: 0, count: 128)
        descriptor = test_open_terminal(&name, name.count)
        guard descriptor >= 0 else { throw ChildProcess.Failure(errno: errno) }
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        device = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard device >= 0 else { throw ChildProcess.Failure(errno: errno) }
        Thread.detachNewThread { [descriptor, state] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                Self.update(state) { $0.text += buffer[..<count] }
            }
            Self.update(state) { $0.isClosed = true }
            // Only the reading thread closes the descriptor. Otherwise, the descriptor's number could be
            // reused during a read.
            close(descriptor)
        }
    }

    /// Closes the device.
    ///
    /// The reading thread ends once the child processes have closed the device as well.
    deinit {
        close(device)
    }

    /// Everything that was shown so far, including the terminal's line endings.
    package var transcript: String {
        state.withLock { String(decoding: $0.text, as: UTF8.self) }
    }

    /// Whether the terminal shows what the user types.
    package var isEchoing: Bool {
        var settings = termios()
        return tcgetattr(device, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types a text and presses Return.
    package func type(_ line: String) {
        press(line + "\n")
    }

    /// Types characters, such as the one for Control-C.
    package func press(_ characters: String) {
        let bytes = Array(characters.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// Waits until the given text is shown after the text that the previous call waited for.
    ///
    /// The wait also ends when the terminal is closed or the task is cancelled, for example because of a
    /// test's time limit.
    ///
    /// - Returns: All output that has been received since the previous call, including the text.
    package func shows(_ text: String) async -> String {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.update(state) { $0.waiters.append((text, continuation)) }
            }
        } onCancel: { [state] in
            Self.update(state) { $0.isClosed = true }
        }
    }

    /// Changes the state and resumes the first waiter if its text has been shown.
    private static func update(_ state: Locked<State>, _ change: (inout State) -> Void) {
        let done = state.withLock {
            state -> (continuation: CheckedContinuation<String, Never>, text: String)? in
            change(&state)
            guard let waiter = state.waiters.first else { return nil }
            let unread = Array(state.text[state.read...])
            guard let place = unread.firstRange(of: Array(waiter.text.utf8)) else {
                guard state.isClosed else { return nil }
                state.waiters.removeFirst()
                return (waiter.continuation, String(decoding: unread, as: UTF8.self))
            }
            state.waiters.removeFirst()
            state.read += place.upperBound
            return (waiter.continuation, String(decoding: unread[..<place.upperBound], as: UTF8.self))
        }
        done?.continuation.resume(returning: done?.text ?? "")
    }
}
