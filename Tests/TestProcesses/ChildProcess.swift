import Foundation
import LatchkeyModel

/// A program in a process of its own, for tests.
///
/// Foundation's `Process` is not used: on Linux, two that start at the same time can crash, and what they start outlives
/// tests that crash and holds their output open. Here nothing blocks a task, nothing is inherited but the three standard
/// streams, and the child is killed when its parent dies.
package final class ChildProcess: Sendable {
    /// What a process left behind.
    package struct Outcome: Sendable {
        /// Its exit code; the negative number of the signal that ended it, if one did.
        package let code: Int32

        /// What it wrote to standard output.
        package let output: String

        /// What it wrote to standard error.
        package let errors: String

        /// All that it wrote, what was meant for people last.
        package var text: String { output + errors }
    }

    /// A program that cannot be started.
    package struct Failure: Error {
        /// The number of the system's error.
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
    ///   - command: The program, looked up on the path, and its arguments.
    ///   - environment: Its environment; as ours if nil.
    ///   - folder: The folder that it runs in; ours if nil.
    ///   - input: What it reads, 60 KiB at most.
    /// - Returns: The process, as soon as it runs.
    /// - Throws: ``Failure`` when there is no memory, process or descriptor left. A program that does not exist ends
    ///   with code 127 or 1 instead, and says so.
    package static func start(
        _ command: [String],
        environment: [String: String]? = nil,
        in folder: String? = nil,
        input: String = ""
    ) async throws -> ChildProcess {
        let seed = Launch(command, environment: environment, folder: folder, input: input)
        // Made here, so that nothing but a number goes from that thread to this task: a sanitizer of threads does not see
        // that a continuation hands over what lies behind a reference.
        let progress = Locked(Progress())
        let identifier: pid_t = try await withCheckedThrowingContinuation { continuation in
            // The kernel takes the thread that started a child for its parent: this one stays until the child has ended.
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

    /// Runs a program to its end.
    package static func run(
        _ command: [String],
        environment: [String: String]? = nil,
        in folder: String? = nil,
        input: String = ""
    ) async throws -> Outcome {
        try await start(command, environment: environment, in: folder, input: input).outcome()
    }

    /// Sends a signal; nothing happens when the process has ended.
    package func signal(_ number: Int32) {
        progress.withLock { now in
            if now.code == nil { kill(identifier, number) }
        }
    }

    /// Waits until a signal has stopped the process.
    ///
    /// - Returns: Whether it is stopped, and has not ended.
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
    /// - Returns: All that it has written there so far.
    package func output(until text: String) async -> String {
        await wait(for: text)
        return progress.withLock { String(decoding: $0.output, as: UTF8.self) }
    }

    /// Waits for the end of the process, and for that of all that hold its output.
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

    private func wait(for text: String?) async {
        await withCheckedContinuation { continuation in
            Self.advance(progress) { $0.waiters.append(Waiter(text: text, continuation: continuation)) }
        }
    }

    /// Changes what is known, and answers those whose wait is over.
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
