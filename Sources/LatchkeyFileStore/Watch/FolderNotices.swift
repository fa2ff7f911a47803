#if canImport(Glibc)
import Dispatch
import Glibc
import LatchkeyModel

/// The kernel's notices about folders: one inotify instance for all watches of the process.
///
/// By default, a user has 128 instances in all processes together. Watches of the same folder share one watch of the
/// kernel.
final class FolderNotices: Sendable {
    /// Is called with notices about a folder, in their order, on the queue of the instance.
    typealias Handler = @Sendable ([FolderNotice]) -> Void

    /// Why the kernel watches no folder: an error number of the system.
    struct Refusal: Error, CustomStringConvertible {
        let number: Int32

        /// Whether the folder is not to blame, but a limit of the system.
        var isExhaustion: Bool { [EMFILE, ENFILE, ENOSPC, ENOMEM].contains(number) }

        var description: String { String(cString: strerror(number)) }
    }

    private struct State {
        var descriptor: Int32?
        var source: (any DispatchSourceRead)?
        var handlers: [Int32: [UInt64: Handler]] = [:]
        var tickets: UInt64 = 0
    }

    /// The instance of this process; it is opened by the first watch and stays open.
    static let shared = FolderNotices { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }

    private static let wanted = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
    )

    private let open: @Sendable () -> Int32
    private let queue = DispatchQueue(label: "latchkey.watch")
    private let state = Locked(State())

    /// Creates an instance that is not open yet.
    ///
    /// - Parameter open: Returns a non-blocking inotify descriptor; less than zero, with `errno` set, if there is none.
    init(open: @escaping @Sendable () -> Int32) {
        self.open = open
    }

    deinit {
        state.withLock { $0.source }?.cancel()
    }

    /// Returns a number for a handler, by which it is told from others of the same folder.
    func ticket() -> UInt64 {
        state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
    }

    /// Has a handler called with the notices about a folder.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - ticket: The number of the handler.
    ///   - handler: The handler.
    /// - Returns: The number of the folder.
    /// - Throws: ``Refusal``, also when there is no such folder.
    func add(_ path: String, ticket: UInt64, _ handler: @escaping Handler) throws(Refusal) -> Int32 {
        try state.withLock { (state) throws(Refusal) in
            let descriptor = try descriptor(&state)
            // Under the lock, so that no notice comes before the handler is there.
            let folder = inotify_add_watch(descriptor, path, Self.wanted)
            guard folder >= 0 else { throw Refusal(number: errno) }
            state.handlers[folder, default: [:]][ticket] = handler
            return folder
        }
    }

    /// Has a handler no longer called with the notices about a folder.
    ///
    /// - Parameters:
    ///   - folder: The number of the folder.
    ///   - ticket: The number of the handler.
    func remove(_ folder: Int32, ticket: UInt64) {
        state.withLock { state in
            state.handlers[folder]?[ticket] = nil
            guard let descriptor = state.descriptor, state.handlers[folder]?.isEmpty == true else { return }
            state.handlers[folder] = nil
            inotify_rm_watch(descriptor, folder)
        }
    }

    private func descriptor(_ state: inout State) throws(Refusal) -> Int32 {
        if let descriptor = state.descriptor { return descriptor }
        let descriptor = open()
        guard descriptor >= 0 else { throw Refusal(number: errno) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.deliver(descriptor) }
        source.setCancelHandler { _ = close(descriptor) }
        source.resume()
        (state.descriptor, state.source) = (descriptor, source)
        return descriptor
    }

    /// Reads all notices that wait, and calls each handler with its own.
    private func deliver(_ descriptor: Int32) {
        var batches: [UInt64: (handler: Handler, notices: [FolderNotice])] = [:]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for notice in FolderNotice.all(in: buffer[..<count]) {
                for (ticket, handler) in handlers(of: notice) {
                    batches[ticket, default: (handler, [])].notices.append(notice)
                }
            }
        }
        for batch in batches.values { batch.handler(batch.notices) }
    }

    private func handlers(of notice: FolderNotice) -> [(UInt64, Handler)] {
        state.withLock { state in
            guard notice.isOverflow else { return state.handlers[notice.folder]?.map { ($0, $1) } ?? [] }
            return state.handlers.values.flatMap { $0.map { ($0, $1) } }
        }
    }
}
#endif
