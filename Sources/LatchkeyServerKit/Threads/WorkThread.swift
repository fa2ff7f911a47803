#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A dedicated thread for work that blocks or takes a long time.
///
/// Blocking a task instead would starve the cooperative thread pool.
package final class WorkThread: Sendable {
    /// The error thrown when the operating system can't create another thread.
    package struct Refused: Error {}

    private let completion = Deferred<Void>()

    /// Starts a detached thread.
    ///
    /// - Parameters:
    ///   - niceness: The scheduling niceness from 0 to 19, which only has an effect on Linux. The
    ///     higher the niceness, the lower the thread's priority.
    ///   - body: The work to do on the thread. The thread ends when this closure returns.
    /// - Throws: ``Refused`` if the thread can't be created.
    package init(niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void) throws(Refused) {
        let completion = completion
        let errand = Unmanaged.passRetained(
            Errand {
                // On Linux, `setpriority` with the process id 0 only affects the calling thread.
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

    /// Waits until the body has returned.
    ///
    /// Cancelling the calling task has no effect.
    package func ended() async {
        await completion.value
    }
}

/// A box for the thread's body, so that we can pass it through a C pointer.
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
