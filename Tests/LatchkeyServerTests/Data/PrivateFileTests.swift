import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Private files` {
    private let folder = TemporaryFolder()

    @Test func `Other users cannot read the file after the contents have been replaced`() throws {
        let file = PrivateFile(try folder.write("old", as: "key"))

        try file.replace(with: Array("new".utf8))

        #expect(try folder.contents() == ["key": Array("new".utf8)])
        #expect(try folder.mode("key") == 0o600)
    }

    @Test func `A byte-order mark is skipped`() throws {
        let file = PrivateFile(try folder.write("\u{FEFF}a\u{FEFF}", as: "key"))

        #expect(try file.contents() == Array("a\u{FEFF}".utf8))
        #expect(try file.text().utf8.elementsEqual("a\u{FEFF}".utf8))
    }

    @Test func `Text that is not UTF-8 is rejected with its position`() throws {
        let file = PrivateFile(folder.file("key"))
        try file.replace(with: Array("Pa".utf8) + [0xE4])

        let error = #expect(throws: DataFolderError.self) { try file.text() }
        #expect(error?.description == "\(folder.file("key")) is not UTF-8: error at byte 2")
    }

    @Test func `The temporary file is deleted if replacing the contents fails`() throws {
        try folder.makeFolder("key")
        _ = try folder.write("a", as: "key/other")
        let file = PrivateFile(folder.file("key"))

        #expect(throws: DataFolderError.self) { try file.replace(with: Array("secret".utf8)) }

        #expect(try folder.contents() == ["key/other": Array("a".utf8)])
    }
}
