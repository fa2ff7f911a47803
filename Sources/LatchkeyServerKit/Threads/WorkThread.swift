#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A dedicated thread for work that blocks or computes for a long time.
///
/// Such work would starve the cooperative thread pool if it ran in a task.
package final class WorkThread: Sendable {
    /// The error thrown if the operating system cannot create another thread.
    package struct Refused: Error {}

    private let completion = Deferred<Void>()

    /// Starts a detached thread.
    ///
    /// - Parameters:
    ///   - niceness: The scheduling niceness from 0 to 19. Threads with higher values yield to others. The
    ///     niceness has an effect only on Linux.
    ///   - body: The work of the thread, which ends when the closure returns.
    /// - Throws: ``Refused`` if the thread cannot be created.
    package init(niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void) throws(Refused) {
        let completion = completion
        let errand = Unmanaged.passRetained(
            Errand {
                // On Linux, process 0 denotes the calling thread in this call.
                if niceness > 0 { setpriority(.init(PRIO_PROCESS.rawValue), 0, niceness) }
                body()
                completion.set(())
            }
        )
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, runErrand, errand.toOpaque()) == 0 else {
            errand.release()
            throw Refused()
        }
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    /// Suspends until the body has returned.
    ///
    /// Cancellation of the calling task has no effect.
    package func ended() async {
        await completion.value
    }
}

/// A box for the body of a thread, so that it can be passed through a C pointer.
private final class Errand: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

#if canImport(Darwin)
private func runErrand(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Errand>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
}
#else
private func runErrand(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let pointer { Unmanaged<Errand>.fromOpaque(pointer).takeRetainedValue().body() }
    return nil
}
#endif
