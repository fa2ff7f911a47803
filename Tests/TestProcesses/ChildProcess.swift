import Foundation
import LatchkeyModel

/// A child process for tests.
///
/// Foundation's `Process` is not suitable on Linux. A `Process` can crash when two processes are started at
/// the same time. If a test crashes, the child processes keep running and keep the test's output open. A
/// `ChildProcess` doesn't block tasks. A child process inherits only the three standard
/// streams and is killed when its parent dies.
package final class ChildProcess: Sendable {
    /// The result of running a process.
    package struct Outcome: Sendable {
        /// The process's exit code, or the negative number of the signal that ended it.
        package let code: Int32

        /// The text written to standard output.
        package let output: String

        /// The text written to standard error.
        package let errors: String

        /// The text written to standard output, followed by the text written to standard error.
        package var text: String { output + errors }
    }

    /// The error thrown if a program cannot be started.
    package struct Failure: Error {
        /// The system's error number.
        package let errno: Int32
    }

    private struct Progress: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var code: Int32?
        var waiters: [Waiter] = []
    }

    private struct Waiter: Sendable {
        let text: String?
        let continuation: CheckedContinuation<Void, Never>
    }

    private let identifier: pid_t
    private let progress: Locked<Progress>

    private init(_ identifier: pid_t, _ progress: Locked<Progress>) {
        self.identifier = identifier
        self.progress = progress
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program, which is looked up in `PATH`, and its arguments.
    ///   - environment: The environment variables, or `nil` to use this process's environment.
    ///   - folder: The working folder, or `nil` to use this process's working folder.
    ///   - input: The text to pass on standard input. The text can be up to 60 KiB large.
    ///   - terminal: A terminal to use for standard input and standard error.
    /// - Returns: The running process.
    /// - Throws: ``Failure`` if there isn't enough memory, or if the limit on processes or file descriptors
    ///   has been reached. If the program does not exist, no error is thrown. Instead, the process ends with
    ///   code 127 or 1 and a message.
    package static func start(
        _ command: [String],
        environment: [String: String]? = nil,
        in folder: String? = nil,
        input: String = "",
        terminal: PseudoTerminal? = nil
    ) async throws -> ChildProcess {
        let seed = Launch(
            command,
            environment: environment,
            folder: folder,
            input: input,
            terminal: terminal?.path
        )
        // We create this object here, and the thread passes only a number to this task. If the thread created
        // the object, ThreadSanitizer would report a data race, because it doesn't recognize that the object
        // is complete before the thread resumes this task.
        let progress = Locked(Progress())
        let identifier: pid_t = try await withCheckedThrowingContinuation { continuation in
            // The kernel treats the thread that started a child as its parent, so this thread must run until
            // the child has ended.
            Thread.detachNewThread {
                do {
                    let running = try seed.run()
                    continuation.resume(returning: running.identifier)
                    running.follow { stream, bytes in
                        advance(progress) { now in
                            switch stream {
                            case .output: now.output += bytes
                            case .errors: now.errors += bytes
                            }
                        }
                    }
                    let code = running.reap()
                    advance(progress) { $0.code = code }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        return ChildProcess(identifier, progress)
    }

    /// Runs a program until it exits.
    package static func run(
        _ command: [String],
        environment: [String: String]? = nil,
        in folder: String? = nil,
        input: String = ""
    ) async throws -> Outcome {
        try await start(command, environment: environment, in: folder, input: input).outcome()
    }

    /// Sends a signal to the process if it is still running.
    package func signal(_ number: Int32) {
        progress.withLock { now in
            if now.code == nil { kill(identifier, number) }
        }
    }

    /// Waits until the process ends or is stopped by a signal.
    ///
    /// - Returns: `true` if the process is stopped and has not ended.
    package func isStopped() async -> Bool {
        await withCheckedContinuation { continuation in
            let identifier = id_t(identifier)
            Thread.detachNewThread {
                var news = siginfo_t()
                while waitid(P_PID, identifier, &news, WSTOPPED | WEXITED | WNOWAIT) < 0, errno == EINTR {}
                continuation.resume(returning: news.si_code == CLD_STOPPED)
            }
        }
    }

    /// Waits until a text has been written to standard output or the process has ended.
    ///
    /// - Returns: Everything that was written to standard output so far.
    package func output(until text: String) async -> String {
        await wait(for: text)
        return progress.withLock { String(decoding: $0.output, as: UTF8.self) }
    }

    /// Waits until this process, and all other processes that have inherited its output, have ended.
    package func outcome() async -> Outcome {
        await wait(for: nil)
        return progress.withLock { now in
            Outcome(
                code: now.code ?? -1,
                output: String(decoding: now.output, as: UTF8.self),
                errors: String(decoding: now.errors, as: UTF8.self)
            )
        }
    }

    /// Waits until a text is written or the process ends.
    ///
    /// Cancelling the task, for example because of a test's time limit, kills the process and ends the wait.
    private func wait(for text: String?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.advance(progress) { $0.waiters.append(Waiter(text: text, continuation: continuation)) }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Updates the progress, and resumes all waiters if the process has ended, or else those whose text has
    /// been printed.
    private static func advance(_ progress: Locked<Progress>, _ change: (inout Progress) -> Void) {
        let done = progress.withLock { now -> [Waiter] in
            change(&now)
            let output = String(decoding: now.output, as: UTF8.self)
            let isDone = { (waiter: Waiter) in
                now.code != nil || waiter.text.map { output.contains($0) } == true
            }
            let done = now.waiters.filter(isDone)
            now.waiters.removeAll(where: isDone)
            return done
        }
        for waiter in done { waiter.continuation.resume() }
    }
}
