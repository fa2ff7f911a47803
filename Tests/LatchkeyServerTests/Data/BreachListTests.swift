import Foundation
import LatchkeyCrypto
import LatchkeyModel
import Testing

@testable import LatchkeyServer

@Suite struct `Breached password list` {
    private static let breached = (0..<500).map { "password-\($0)" }

    private static func line(_ password: String, _ count: Int) -> String {
        let hash = SHA1.hash(Array(password.utf8)).map { String(format: "%02X", $0) }.joined()
        return "\(hash):\(count)"
    }

    private static let lines = breached.enumerated().map { line($1, $0 + 1) }.sorted()

    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "breaches-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
    func `The list can be a single file with all hashes, with or without a byte-order mark`(
        _ end: String,
        mark: String
    ) async throws {
        let file = try folder().appending(path: "all.txt")
        try Data((mark + Self.lines.joined(separator: end) + end).utf8).write(to: file)
        let list = try BreachList(path: file.path)
        for (index, password) in Self.breached.enumerated() {
            #expect(try await list.occurrences(of: Secret(password)) == index + 1)
        }
        for index in 0..<200 { #expect(try await list.occurrences(of: Secret("other-\(index)")) == 0) }
    }

    @Test func `The list can be a folder with one file for each range of hashes`() async throws {
        let folder = try folder()
        for (range, lines) in Dictionary(grouping: Self.lines, by: { $0.prefix(5) }) {
            let text = (range < "8" ? "\u{FEFF}" : "") + lines.map { $0.dropFirst(5) + "\r\n" }.joined()
            try Data(text.utf8).write(to: folder.appending(path: "\(range).txt"))
        }
        let list = try BreachList(path: folder.path)
        for (index, password) in Self.breached.enumerated() {
            #expect(try await list.occurrences(of: Secret(password)) == index + 1)
        }
    }

    @Test func `Looking up a password whose range is missing throws an error`() async throws {
        let folder = try folder()
        try Data().write(to: folder.appending(path: "00000.txt"))
        let list = try BreachList(path: folder.path)
        await #expect(throws: (any Error).self) { try await list.occurrences(of: "x") }
    }

    @Test(arguments: [0, 20, 40, 41])
    func `Looking up a password in a list with a damaged line throws an error`(length: Int) async throws {
        let lines = Self.lines.enumerated().map { $0 == 0 ? $1 : String($1.prefix(length)) }
        let file = try folder().appending(path: "all.txt")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        let list = try BreachList(path: file.path)

        await #expect(throws: BreachList.Unusable.self) { try await list.occurrences(of: "password-7") }
    }

    @Test func `Looking up a password in a range file with a damaged line throws an error`()
        async throws
    {
        let folder = try folder()
        let line = Self.line("password-7", 8)
        try Data(line.dropFirst(5).prefix(35).utf8).write(to: folder.appending(path: "\(line.prefix(5)).txt"))
        let list = try BreachList(path: folder.path)

        await #expect(throws: BreachList.Unusable.self) { try await list.occurrences(of: "password-7") }
    }

    @Test func `Looking up a password in an empty range file throws an error`() async throws {
        let folder = try folder()
        let line = Self.line("password-7", 8)
        try Data().write(to: folder.appending(path: "\(line.prefix(5)).txt"))
        let list = try BreachList(path: folder.path)

        await #expect(throws: BreachList.Unusable.self) { try await list.occurrences(of: "password-7") }
    }

    @Test(arguments: [
        "", "password\n", "0123456789ABCDEF0123456789ABCDEF01234567\n",
        // In lower case, and sorted by another column.
        "0123456789abcdef0123456789abcdef01234567:1\n",
        "F123456789ABCDEF0123456789ABCDEF01234567:9\n0123456789ABCDEF0123456789ABCDEF01234567:1\n",
    ])
    func `A list in an unsupported format is rejected`(_ text: String) throws {
        let file = try folder().appending(path: "all.txt")
        try Data(text.utf8).write(to: file)
        #expect(throws: BreachList.Unusable.self) { try BreachList(path: file.path) }
        #expect(throws: BreachList.Unusable.self) { try BreachList(path: file.path + ".not-there") }
    }
}
