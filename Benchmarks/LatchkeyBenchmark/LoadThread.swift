import Glibc

/// An operating system thread that runs a closure once.
final class LoadThread: @unchecked Sendable {
    // @unchecked is safe because the handle is written once, before the object can be shared.
    private var handle = pthread_t()

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    init(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Work(body)).toOpaque()
        pthread_create(&handle, nil, Self.start, context)
    }

    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }

    func join() { pthread_join(handle, nil) }
}
