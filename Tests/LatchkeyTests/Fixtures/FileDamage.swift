import Foundation

/// Something that can happen to a file, for example in a crash, a restored backup or a run as another user.
enum FileDamage: CaseIterable {
    case missing
    case empty
    case truncated
    case random
    case folder
    case filledFolder
    case linkWithoutTarget
    case linkToItself
    case pipe
    case forbidden
    case accessibleToOthers
    case ofAnotherUser

    /// Whether the file's contents are lost.
    var losesContents: Bool {
        switch self {
        case .forbidden, .accessibleToOthers, .ofAnotherUser: false
        default: true
        }
    }

    /// Damages a file, which doesn't have to exist.
    func apply(to path: String) throws {
        let files = FileManager.default
        let bytes = files.contents(atPath: path) ?? Data("latchkey".utf8)
        if losesContents { try? files.removeItem(atPath: path) }
        switch self {
        case .missing: break
        case .empty: try write(Data(), to: path)
        case .truncated: try write(bytes.prefix(bytes.count / 2), to: path)
        case .random:
            var random = SystemRandomNumberGenerator()
            try write(Data((0..<200).map { _ in UInt8.random(in: .min ... .max, using: &random) }), to: path)
        case .folder: mkdir(path, 0o700)
        case .filledFolder:
            mkdir(path, 0o700)
            try write(bytes, to: path + "/file")
        case .linkWithoutTarget: symlink("missing", path)
        case .linkToItself: symlink(path, path)
        case .pipe: mkfifo(path, 0o600)
        case .forbidden:
            try write(bytes, to: path)
            chmod(path, 0)
        case .accessibleToOthers:
            try write(bytes, to: path)
            chmod(path, 0o666)
        case .ofAnotherUser:
            try write(bytes, to: path)
            // Only root can do this. For other users, the file is just replaced with a copy.
            chown(path, 12_345, 12_345)
        }
    }

    private func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
    }
}
