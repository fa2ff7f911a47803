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

    @Test func `The temporary file is deleted if replacing the contents fails`() throws {
        try folder.makeFolder("key")
        _ = try folder.write("a", as: "key/other")
        let file = PrivateFile(folder.file("key"))

        #expect(throws: DataFolderError.self) { try file.replace(with: Array("secret".utf8)) }

        #expect(try folder.contents() == ["key/other": Array("a".utf8)])
    }
}
