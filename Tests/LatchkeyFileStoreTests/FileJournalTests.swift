import Foundation
import LatchkeyCore
import LatchkeyModel
import Testing

@testable import LatchkeyFileStore

@Suite struct `File journal` {
    private let folder = "/tmp/lk-\(UUID().uuidString.prefix(13))"

    private func entry(_ number: Int, kind: JournalEntry.Kind = .renewed) -> JournalEntry {
        JournalEntry(kind, at: Timestamp(seconds: 1_772_352_000 + Int64(number)), detail: "Number \(number).")
    }

    private func withJournal(_ body: (FileJournal) throws -> Void) throws {
        mkdir(folder, 0o700)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(FileJournal(folder: folder, name: "journal"))
    }

    @Test func `Entries are stored in order with the process id`() throws {
        try withJournal { (journal) throws in
            journal.append([entry(1, kind: .signedIn)])
            journal.append([entry(2), entry(3, kind: .ended)])

            let entries = FileJournal(folder: folder, name: "journal").entries()
            #expect(entries.map(\.detail) == ["Number 1.", "Number 2.", "Number 3."])
            #expect(entries.map(\.kind) == [.signedIn, .renewed, .ended])
            #expect(entries.allSatisfy { $0.process == getpid() })
        }
    }

    @Test func `The journal starts with the first login and never creates its folder`() throws {
        try withJournal { (journal) throws in
            journal.append([entry(1)])
            #expect(journal.entries().isEmpty)
            FileJournal(folder: folder + "/none", name: "journal").append([entry(1, kind: .signedIn)])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test func `A message with line breaks is written on one line`() throws {
        try withJournal { (journal) throws in
            journal.append([JournalEntry(.signedIn, at: Timestamp(seconds: 0), detail: "one\ntwo\r\nthree")])
            #expect(journal.entries().map(\.detail) == ["one two three"])
        }
    }

    @Test func `Truncated lines and lines in a newer format are skipped`() throws {
        try withJournal { (journal) throws in
            journal.append([entry(1, kind: .signedIn)])
            let path = folder + "/journal"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let newer = "2026-11-21T08:11:20.715924Z 1 danced With joy.\n"
            try Data((text + newer + "2026-11-21T08:1").utf8).write(to: URL(fileURLWithPath: path))
            #expect(journal.entries().map(\.kind) == [.signedIn])
        }
    }

    @Test func `The journal keeps the latest entries in at most two files`() throws {
        try withJournal { (journal) throws in
            journal.append([entry(0, kind: .signedIn)])
            for number in 1...6000 { journal.append([entry(number)]) }

            let sizes = try FileManager.default.contentsOfDirectory(atPath: folder).map { name in
                try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int ?? 0
            }
            #expect(sizes.count == 2 && sizes.allSatisfy { $0 <= 66_000 })
            let entries = journal.entries()
            #expect(entries.last?.detail == "Number 6000." && entries.count > 500)
        }
    }

    @Test func `Only the user can read the journal, and clearing it deletes its files`() throws {
        try withJournal { (journal) throws in
            journal.append([entry(1, kind: .signedIn)])
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/journal")[
                .posixPermissions
            ]
            #expect(mode as? Int == 0o600)
            journal.clear()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }
}
