#if canImport(Glibc)
import Glibc

/// An inotify event.
///
/// The length of the name varies, so events are parsed field by field.
struct FolderEvent: Sendable {
    /// The watch descriptor for the folder.
    let folder: Int32
    /// The name of the affected file in the folder, or an empty string for events about the folder itself.
    let name: String
    private let mask: UInt32

    /// Whether the kernel's queue overflowed.
    ///
    /// If the queue overflowed, events for any folder may have been lost.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

    /// Whether the folder itself was removed, renamed or unmounted, or its watch was removed.
    var isAboutFolder: Bool {
        mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 || mask & UInt32(IN_IGNORED | IN_UNMOUNT) != 0
    }

    /// Parses a buffer filled by inotify.
    ///
    /// An incomplete event at the end is ignored.
    static func all(in bytes: ArraySlice<UInt8>) -> [FolderEvent] {
        var events: [FolderEvent] = []
        var rest = bytes
        while rest.count >= 16 {
            let (folder, mask, length) = rest.withUnsafeBytes { raw in
                (
                    raw.loadUnaligned(fromByteOffset: 0, as: Int32.self),
                    raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    Int(raw.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                )
            }
            rest = rest.dropFirst(16)
            let name = String(decoding: rest.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
            events.append(FolderEvent(folder: folder, name: name, mask: mask))
            rest = rest.dropFirst(length)
        }
        return events
    }

    private init(folder: Int32, name: String, mask: UInt32) {
        (self.folder, self.name, self.mask) = (folder, name, mask)
    }
}
#endif
