package import LatchkeyCore
import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A session journal in a text file that all processes of an app share.
///
/// Each line contains one entry.
///
/// The journal consists of at most two files of about 64 KiB each. The older file has the suffix `.1`. The
/// files contain no secrets or personal data, and only the current user can read them.
package struct FileJournal: SessionJournal {
    private static let byteLimit = 64 << 10

    private let folder: String
    private let name: String

    /// Creates a journal in a folder.
    ///
    /// If the folder does not exist, entries are discarded.
    package init(folder: String, name: String) {
        (self.folder, self.name) = (folder, name)
    }

    /// Appends entries along with the id of this process.
    ///
    /// Failures are ignored.
    ///
    /// If the journal does not exist, it is only created if the entries include a login (`signedIn`).
    package func append(_ entries: [JournalEntry]) {
        // We ignore failures because the journal must never prevent a sign-out. A sign-out deletes the
        // journal, which must not be created again before the next login.
        guard let folder = try? Folder(existing: folder) else { return }
        let process = getpid()
        let lines = entries.map { "\($0.time) \(process) \($0.kind.rawValue) \($0.detail.onOneLine)\n" }
        guard entries.contains(where: { $0.kind == .signedIn }) || (try? folder.contains(name)) == true else {
            return
        }
        folder.append(Array(lines.joined().utf8), to: name, limit: Self.byteLimit, rotatedName: rotatedName)
    }

    /// Deletes both journal files.
    ///
    /// Failures are ignored.
    package func clear() {
        guard let folder = try? Folder(existing: folder) else { return }
        for name in [rotatedName, name] { try? folder.unmark(name) }
    }

    /// Returns all entries that can be parsed, from any process, with the oldest entry first.
    package func entries() -> [JournalEntry] {
        guard let folder = try? Folder(existing: folder) else { return [] }
        return [rotatedName, name].flatMap { name in
            let bytes = (try? folder.contents(of: name, limit: 2 * Self.byteLimit)) ?? nil
            return (bytes ?? []).split(separator: UInt8(ascii: "\n"))
                .compactMap { line in (try? String(utf8: line)).flatMap { JournalEntry(line: $0[...]) } }
        }
    }

    private var rotatedName: String { name + ".1" }
}

extension JournalEntry {
    /// Parses a line.
    ///
    /// Returns `nil` if the line is incomplete or its entry kind was added in a newer version.
    fileprivate init?(line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3)
        guard
            words.count == 4, let time = Timestamp(rfc3339: String(words[0])), let process = Int32(words[1]),
            let kind = Kind(rawValue: String(words[2]))
        else { return nil }
        self.init(kind, at: time, detail: String(words[3]), process: process)
    }
}

extension String {
    fileprivate var onOneLine: String {
        String(map { $0.isNewline ? " " : $0 })
    }
}
