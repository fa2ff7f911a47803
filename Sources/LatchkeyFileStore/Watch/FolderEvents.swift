#if canImport(Glibc)
import Dispatch
import Glibc
import LatchkeyModel

/// The inotify instance that is shared by all folder watches in this process.
///
/// By default, a user can have 128 inotify instances across all processes. Watches of the same folder share
/// one kernel watch.
final class FolderEvents: Sendable {
    /// A closure that is called with a folder's events in order, on the instance's queue.
    typealias Handler = @Sendable ([FolderEvent]) -> Void

    /// The `errno` value that explains why the kernel cannot watch a folder.
    struct WatchError: Error, CustomStringConvertible {
        let number: Int32

        /// Whether the watch failed because of a system limit rather than because of the folder.
        var isExhaustion: Bool { [EMFILE, ENFILE, ENOSPC, ENOMEM].contains(number) }

        var description: String { String(cString: strerror(number)) }
    }

    private struct State {
        var descriptor: Int32?
        var source: (any DispatchSourceRead)?
        // The handlers, keyed first by watch descriptor and then by ticket.
        var handlers: [Int32: [UInt64: Handler]] = [:]
        var tickets: UInt64 = 0
    }

    /// The instance for this process.
    ///
    /// The instance is opened when the first watch is created, and is never closed.
    static let shared = FolderEvents { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }

    private static let eventMask = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
    )

    private let open: @Sendable () -> Int32
    private let queue = DispatchQueue(label: "latchkey.watch")
    private let state = Locked(State())

    /// Creates an instance that is opened by the first watch.
    ///
    /// - Parameter open: A closure that returns a non-blocking inotify descriptor, or sets `errno` and
    ///   returns a negative number.
    init(open: @escaping @Sendable () -> Int32) {
        self.open = open
    }

    deinit {
        state.withLock { $0.source }?.cancel()
    }

    /// Returns a new ticket that distinguishes a handler from others for the same folder.
    func ticket() -> UInt64 {
        state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
    }

    /// Registers a handler for a folder's events.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which must exist.
    ///   - ticket: The handler's ticket. An existing handler with the same ticket and folder is replaced.
    ///   - handler: Called with the folder's events and when the queue overflows.
    /// - Returns: The watch descriptor for the folder.
    /// - Throws: ``WatchError`` if the folder cannot be watched, for example because it does not exist.
    func add(_ path: String, ticket: UInt64, handler: @escaping Handler) throws(WatchError) -> Int32 {
        try state.withLock { (state) throws(WatchError) in
            let descriptor = try descriptor(&state)
            // We hold the lock so that no event is delivered before the handler is registered.
            let folder = inotify_add_watch(descriptor, path, Self.eventMask)
            guard folder >= 0 else { throw WatchError(number: errno) }
            state.handlers[folder, default: [:]][ticket] = handler
            return folder
        }
    }

    /// Unregisters a handler.
    ///
    /// When the folder's last handler is removed, the kernel watch is removed too.
    ///
    /// - Parameters:
    ///   - folder: The watch descriptor for the folder.
    ///   - ticket: The handler's ticket.
    func remove(_ folder: Int32, ticket: UInt64) {
        state.withLock { state in
            state.handlers[folder]?[ticket] = nil
            guard let descriptor = state.descriptor, state.handlers[folder]?.isEmpty == true else { return }
            state.handlers[folder] = nil
            inotify_rm_watch(descriptor, folder)
        }
    }

    private func descriptor(_ state: inout State) throws(WatchError) -> Int32 {
        if let descriptor = state.descriptor { return descriptor }
        let descriptor = open()
        guard descriptor >= 0 else { throw WatchError(number: errno) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.deliver(descriptor) }
        source.setCancelHandler { _ = close(descriptor) }
        source.resume()
        (state.descriptor, state.source) = (descriptor, source)
        return descriptor
    }

    /// Reads all pending events and calls each handler once with its events.
    private func deliver(_ descriptor: Int32) {
        var batches: [UInt64: (handler: Handler, events: [FolderEvent])] = [:]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for event in FolderEvent.all(in: buffer[..<count]) {
                for (ticket, handler) in handlers(of: event) {
                    batches[ticket, default: (handler, [])].events.append(event)
                }
            }
        }
        for batch in batches.values { batch.handler(batch.events) }
    }

    /// Returns the handlers for an event.
    ///
    /// If the event reports an overflow, all handlers are returned.
    private func handlers(of event: FolderEvent) -> [(UInt64, Handler)] {
        state.withLock { state in
            guard event.isOverflow else { return state.handlers[event.folder]?.map { ($0, $1) } ?? [] }
            return state.handlers.values.flatMap { $0.map { ($0, $1) } }
        }
    }
}
#endif
