#if canImport(Glibc)
import Glibc

/// One notice, read from its bytes because its name has no fixed length.
struct FolderNotice: Sendable {
    /// The number of the folder.
    let folder: Int32
    /// The name of the file in it.
    let name: String
    private let mask: UInt32

    /// Whether notices were lost, of whichever folders.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

    /// Whether the folder itself was removed or renamed.
    var isAboutFolder: Bool {
        mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 || mask & UInt32(IN_IGNORED | IN_UNMOUNT) != 0
    }

    static func all(in bytes: ArraySlice<UInt8>) -> [FolderNotice] {
        var notices: [FolderNotice] = []
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
            notices.append(FolderNotice(folder: folder, name: name, mask: mask))
            rest = rest.dropFirst(length)
        }
        return notices
    }

    private init(folder: Int32, name: String, mask: UInt32) {
        (self.folder, self.name, self.mask) = (folder, name, mask)
    }
}
#endif
