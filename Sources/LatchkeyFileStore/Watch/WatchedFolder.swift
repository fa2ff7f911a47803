#if canImport(Glibc)
import Glibc
import LatchkeyModel

/// A folder whose files are watched by name with inotify.
///
/// While the folder does not exist, the nearest existing parent is watched instead.
final class WatchedFolder: Sendable {
    private struct State {
        /// The descriptor of the current watch, and the names to look for in the watched folder.
        var watched: (number: Int32, names: Set<String>)?
        var isStopped = false
    }

    private let folder: [Substring]
    private let names: Set<String>
    private let events: FolderEvents
    private let ticket: UInt64
    private let onChange: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates a watched folder.
    ///
    /// Call ``start()`` to begin watching.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - names: The names of the files to watch.
    ///   - events: The inotify instance to use.
    ///   - onChange: Called after one or more changes, on the inotify instance's queue.
    init(
        _ folder: String,
        names: Set<String>,
        events: FolderEvents,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.folder = folder.split(separator: "/")
        self.names = names
        self.events = events
        self.onChange = onChange
        ticket = events.ticket()
    }

    /// Starts watching.
    ///
    /// - Throws: `FolderEvents.WatchError` if a system limit is reached or no folder on the path can be
    ///   watched.
    func start() throws(FolderEvents.WatchError) {
        try state.withLock { (state) throws(FolderEvents.WatchError) in
            _ = try attach(&state)
            guard state.watched != nil else { throw FolderEvents.WatchError(number: EACCES) }
        }
    }

    /// Stops watching.
    ///
    /// A call to `onChange` that is already in progress is not cancelled.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let watched = state.watched { events.remove(watched.number, ticket: ticket) }
            state.watched = nil
        }
    }

    /// Handles a batch of events.
    ///
    /// If the folder was created, moved or removed, a new watch is started. Changes are reported.
    private func process(_ batch: [FolderEvent]) {
        let isChange = state.withLock { state in
            guard !state.isStopped else { return false }
            let isAncestorWatched = state.watched.map { $0.names != names } ?? true
            var (isChange, isMoved) = (false, false)
            for event in batch {
                if event.isOverflow {
                    isMoved = true
                } else if event.folder == state.watched?.number {
                    let isNamed = state.watched?.names.contains(event.name) == true
                    isMoved = isMoved || event.isAboutFolder || (isAncestorWatched && isNamed)
                    // If the folder was renamed and then renamed back, we are still watching it.
                    isChange = isChange || isNamed || event.isAboutFolder
                }
            }
            // Changes that are made between two watches don't generate events, so switching to another folder
            // counts as a change. If the system has no watches left, we try again on the next event.
            if isMoved, (try? attach(&state)) == true { isChange = true }
            return isChange
        }
        if isChange { onChange() }
    }

    /// Watches the folder or its nearest existing parent.
    ///
    /// - Returns: `true` if a different folder is now being watched.
    private func attach(_ state: inout State) throws(FolderEvents.WatchError) -> Bool {
        let former = state.watched?.number
        // The folder may be created after we failed to watch it and before we start watching its parent, so
        // we try again up to ten times.
        for _ in 0..<10 {
            guard let depth = try attachOnce(&state), depth < folder.count else { break }
            guard access(path(depth + 1), F_OK) == 0 else { break }
        }
        return state.watched?.number != former
    }

    /// Tries once to watch the folder or one of its parents.
    ///
    /// Returns the number of components in the watched path, or `nil` if none of the folders can be watched.
    private func attachOnce(_ state: inout State) throws(FolderEvents.WatchError) -> Int? {
        for depth in stride(from: folder.count, through: 0, by: -1) {
            let number: Int32
            do throws(FolderEvents.WatchError) {
                number = try events.add(path(depth), ticket: ticket) { [weak self] in self?.process($0) }
            } catch {
                guard error.isExhaustion else { continue }
                throw error
            }
            if let former = state.watched?.number, former != number {
                events.remove(former, ticket: ticket)
            }
            state.watched = (number, depth == folder.count ? names : [String(folder[depth])])
            return depth
        }
        return nil
    }

    /// Returns the path made up of the first `depth` components.
    private func path(_ depth: Int) -> String {
        "/" + folder[..<depth].joined(separator: "/")
    }
}
#endif
