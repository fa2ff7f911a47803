#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A thread of our own for work that blocks or computes for long.
package final class WorkThread: Sendable {
    /// The operating system refused another thread.
    package struct Refused: Error {}

    private let completion = Deferred<Void>()

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - niceness: How far to step back behind other threads, 0 to 19; heeded on Linux.
    ///   - body: What it does; the thread ends when it returns.
    /// - Throws: ``Refused``.
    package init(niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void) throws(Refused) {
        let completion = completion
        let errand = Unmanaged.passRetained(
            Errand {
                // On Linux, "process 0" of this call is the calling thread.
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
    package func ended() async {
        await completion.value
    }
}

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
