#if canImport(Glibc)
import Glibc

/// The kernel's notices about files of one folder; while there is no such folder, about the nearest one above it.
///
/// The owner calls ``close()`` once, when nothing waits for the descriptor any more.
struct FolderNotices: Sendable {
    let descriptor: Int32
    private let folder: [Substring]
    private let names: Set<String>
    private var watched: (number: Int32, names: Set<String>)?

    private static let wanted = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
    )

    init?(folder: String, names: Set<String>) {
        guard folder.hasPrefix("/") else { return nil }
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.folder = folder.split(separator: "/")
        self.names = names
        attach()
        guard watched != nil else {
            close()
            return nil
        }
    }

    func close() {
        _ = Glibc.close(descriptor)
    }

    /// Takes all notices that wait.
    ///
    /// - Returns: Whether one of them may mean a change of the files.
    mutating func takeAll() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isChange = false
        var isMoved = false
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for notice in Notice.all(in: buffer[..<count]) {
                if notice.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    isMoved = true
                } else if notice.watch == watched?.number {
                    let isNamed = watched?.names.contains(notice.name) == true
                    isMoved = isMoved || notice.isAboutFolder || (isAncestorWatched && isNamed)
                    isChange = isChange || isNamed
                }
            }
        }
        // What happened between two watches is in no notice.
        if isMoved && attach() { isChange = true }
        return isChange
    }

    private var isAncestorWatched: Bool { watched.map { $0.names != names } ?? true }

    /// Watches the folder, or the nearest one above it that exists.
    ///
    /// - Returns: Whether another one is watched than before.
    @discardableResult
    private mutating func attach() -> Bool {
        let former = watched?.number
        // A folder may be made between the attempt to watch it and the watch on the one above; but not for ever.
        for _ in 0..<10 {
            guard let depth = attachOnce(), depth < folder.count else { break }
            guard access(path(depth + 1), F_OK) == 0 else { break }
        }
        return watched?.number != former
    }

    private mutating func attachOnce() -> Int? {
        for depth in stride(from: folder.count, through: 0, by: -1) {
            let number = inotify_add_watch(descriptor, path(depth), Self.wanted)
            guard number >= 0 else { continue }
            if let former = watched?.number, former != number { inotify_rm_watch(descriptor, former) }
            watched = (number, depth == folder.count ? names : [String(folder[depth])])
            return depth
        }
        return nil
    }

    private func path(_ depth: Int) -> String {
        "/" + folder[..<depth].joined(separator: "/")
    }
}

/// One notice, read from its bytes because its name has no fixed length.
private struct Notice {
    let watch: Int32
    let mask: UInt32
    let name: String

    var isAboutFolder: Bool {
        mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 || mask & UInt32(IN_IGNORED | IN_UNMOUNT) != 0
    }

    static func all(in bytes: ArraySlice<UInt8>) -> [Notice] {
        var notices: [Notice] = []
        var rest = bytes
        while rest.count >= 16 {
            let (watch, mask, length) = rest.withUnsafeBytes { raw in
                (
                    raw.loadUnaligned(fromByteOffset: 0, as: Int32.self),
                    raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    Int(raw.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                )
            }
            rest = rest.dropFirst(16)
            let name = String(decoding: rest.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
            notices.append(Notice(watch: watch, mask: mask, name: name))
            rest = rest.dropFirst(length)
        }
        return notices
    }
}
#endif
