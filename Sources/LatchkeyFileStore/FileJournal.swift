package import LatchkeyCore
import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A journal in a text file that all processes of an app share: one line an entry.
///
/// It holds at most two files of 64 KiB each. Only this user can read it, and nothing secret or personal is in it.
package struct FileJournal: SessionJournal {
    private static let byteLimit = 64 << 10

    private let folder: String
    private let name: String

    /// A journal in a folder; where there is none, there is nothing to remember either.
    package init(folder: String, name: String) {
        (self.folder, self.name) = (folder, name)
    }

    package func append(_ entries: [JournalEntry]) {
        // Whatever goes wrong: a journal stands in nobody's way. After a sign-out, a login begins a new one.
        guard let folder = try? Folder(existing: folder) else { return }
        let process = getpid()
        let lines = entries.map { "\($0.time) \(process) \($0.kind.rawValue) \($0.detail.onOneLine)\n" }
        guard entries.contains(where: { $0.kind == .signedIn }) || (try? folder.holds(name)) == true else {
            return
        }
        folder.append(Array(lines.joined().utf8), to: name, limit: Self.byteLimit, elder: elderName)
    }

    package func clear() {
        guard let folder = try? Folder(existing: folder) else { return }
        for name in [elderName, name] { try? folder.unmark(name) }
    }

    package func entries() -> [JournalEntry] {
        guard let folder = try? Folder(existing: folder) else { return [] }
        return [elderName, name].flatMap { name in
            let bytes = (try? folder.contents(of: name, limit: 2 * Self.byteLimit)) ?? nil
            return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
                .compactMap { JournalEntry(line: $0) }
        }
    }

    private var elderName: String { name + ".1" }
}

extension JournalEntry {
    /// Reads a line; nothing for one that is torn, or of a newer version.
    fileprivate init?(line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3)
        guard
            words.count == 4, let time = Timestamp(rfc3339: String(words[0])), let process = Int32(words[1]),
            let kind = Kind(rawValue: String(words[2]))
        else { return nil }
        self.init(time, kind, String(words[3]), process: process)
    }
}

extension String {
    fileprivate var onOneLine: String {
        String(map { $0.isNewline ? " " : $0 })
    }
}
