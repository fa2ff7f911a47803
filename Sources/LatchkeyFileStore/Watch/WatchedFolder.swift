#if canImport(Glibc)
import Glibc
import LatchkeyModel

/// A folder that the kernel watches for files of some names; while there is no such folder, the nearest one above it.
final class WatchedFolder: Sendable {
    private struct State {
        /// The number of the folder that is watched, and the names that count in it.
        var watched: (number: Int32, names: Set<String>)?
        var isStopped = false
    }

    private let folder: [Substring]
    private let names: Set<String>
    private let notices: FolderNotices
    private let ticket: UInt64
    private let onChange: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates a folder that is not watched yet.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - names: The names of the files.
    ///   - notices: The inotify instance.
    ///   - onChange: Called after one change or several.
    init(
        _ folder: String,
        names: Set<String>,
        notices: FolderNotices,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.folder = folder.split(separator: "/")
        self.names = names
        self.notices = notices
        self.onChange = onChange
        ticket = notices.ticket()
    }

    /// Begins to watch.
    ///
    /// - Throws: `FolderNotices.Refusal` when the system has no instance or watch left.
    func start() throws(FolderNotices.Refusal) {
        try state.withLock { (state) throws(FolderNotices.Refusal) in
            _ = try attach(&state)
            guard state.watched != nil else { throw FolderNotices.Refusal(number: EACCES) }
        }
    }

    /// Ends the watch; a call that is on its way may still come.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let watched = state.watched { notices.remove(watched.number, ticket: ticket) }
            state.watched = nil
        }
    }

    private func take(_ batch: [FolderNotice]) {
        let isChange = state.withLock { state in
            guard !state.isStopped else { return false }
            let isAncestorWatched = state.watched.map { $0.names != names } ?? true
            var (isChange, isMoved) = (false, false)
            for notice in batch {
                if notice.isOverflow {
                    isMoved = true
                } else if notice.folder == state.watched?.number {
                    let isNamed = state.watched?.names.contains(notice.name) == true
                    isMoved = isMoved || notice.isAboutFolder || (isAncestorWatched && isNamed)
                    // A folder that was renamed and renamed back is the one that is watched already.
                    isChange = isChange || isNamed || notice.isAboutFolder
                }
            }
            // What happened between two watches is in no notice. Where the system has no watch left, the next notice
            // tries again.
            if isMoved, (try? attach(&state)) == true { isChange = true }
            return isChange
        }
        if isChange { onChange() }
    }

    /// Watches the folder, or the nearest one above it that exists.
    ///
    /// - Returns: Whether another one is watched than before.
    private func attach(_ state: inout State) throws(FolderNotices.Refusal) -> Bool {
        let former = state.watched?.number
        // A folder may be made between the attempt to watch it and the watch on the one above; but not for ever.
        for _ in 0..<10 {
            guard let depth = try attachOnce(&state), depth < folder.count else { break }
            guard access(path(depth + 1), F_OK) == 0 else { break }
        }
        return state.watched?.number != former
    }

    private func attachOnce(_ state: inout State) throws(FolderNotices.Refusal) -> Int? {
        for depth in stride(from: folder.count, through: 0, by: -1) {
            let number: Int32
            do throws(FolderNotices.Refusal) {
                number = try notices.add(path(depth), ticket: ticket) { [weak self] in self?.take($0) }
            } catch {
                guard error.isExhaustion else { continue }
                throw error
            }
            if let former = state.watched?.number, former != number {
                notices.remove(former, ticket: ticket)
            }
            state.watched = (number, depth == folder.count ? names : [String(folder[depth])])
            return depth
        }
        return nil
    }

    private func path(_ depth: Int) -> String {
        "/" + folder[..<depth].joined(separator: "/")
    }
}
#endif
