import Foundation
import LatchkeyModel

/// A child process for tests.
///
/// Foundation's `Process` is unsuitable on Linux. `Process` can crash when two processes are started at the
/// same time, and its child processes outlive tests that crash and keep the tests' output open. A
/// `ChildProcess` does not block tasks, inherits only the three standard streams, and is killed when its
/// parent dies.
package final class ChildProcess: Sendable {
    /// The result of a process.
    package struct Outcome: Sendable {
        /// The exit code of the process, or the negative number of the signal that ended it.
        package let code: Int32

        /// The text on standard output.
        package let output: String

        /// The text on standard error.
        package let errors: String

        /// All output: the text on standard output, followed by the text on standard error.
        package var text: String { output + errors }
    }

    /// An error that is thrown if a program cannot be started.
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
    ///   - command: The program, which is looked up on the path, and its arguments.
    ///   - environment: The environment; `nil` for the environment of this process.
    ///   - folder: The working folder; `nil` for the folder of this process.
    ///   - input: The text on standard input, at most 60 KiB.
    ///   - terminal: The terminal that replaces standard input and standard error.
    /// - Returns: The process, once it is running.
    /// - Throws: ``Failure`` if memory, processes or descriptors are exhausted. If the program does not
    ///   exist, no error is thrown, but the process ends with code 127 or 1 and a message.
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
        // Created here, so that the thread passes only a number to this task: ThreadSanitizer does not
        // recognize that the thread's writes to an object happen before the reads of the task that it resumes.
        let progress = Locked(Progress())
        let identifier: pid_t = try await withCheckedThrowingContinuation { continuation in
            // The kernel treats the thread that started a child as its parent, so this thread runs until the
            // child has ended.
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

    /// Sends a signal to the process, unless it has ended.
    package func signal(_ number: Int32) {
        progress.withLock { now in
            if now.code == nil { kill(identifier, number) }
        }
    }

    /// Waits until a signal has stopped the process, or the process has ended.
    ///
    /// - Returns: Whether the process is stopped and has not ended.
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

    /// Waits until a text has appeared on standard output, or the process has ended.
    ///
    /// - Returns: The text on standard output so far.
    package func output(until text: String) async -> String {
        await wait(for: text)
        return progress.withLock { String(decoding: $0.output, as: UTF8.self) }
    }

    /// Waits for the end of the process and of all other processes that have its output open.
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

    /// Waits for a text or for the end of the process.
    ///
    /// A cancellation, such as by the time limit of a test, kills the process, which ends the wait.
    private func wait(for text: String?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.advance(progress) { $0.waiters.append(Waiter(text: text, continuation: continuation)) }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Updates the progress, and resumes the waiters whose condition is met.
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
