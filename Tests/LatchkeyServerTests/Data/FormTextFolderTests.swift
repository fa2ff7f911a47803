import Foundation
import LatchkeyCourier
import LatchkeySelfService
import Testing

@testable import LatchkeyServer

@Suite struct `Form text folder` {
    private func folder(_ files: [String: String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "form-texts-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return folder.path
    }

    @Test func `Form texts are read from one file per language`() throws {
        let path = try folder(["sv.json": "\u{FEFF}" + #"{"Password": "Lösen"}"#, "notes.txt": "nothing"])
        let words = try FormTextFolder(path: path).texts()
        #expect(words[.swedish].text(of: .Label.password) == "Lösen")
        #expect(words[.english].text(of: .Label.password) == "Password")
    }

    @Test(arguments: [
        ["sv.json": "[]"], ["sv.json": #"{"Password": 5}"#], ["sv.json": ""], ["de.json": "{}"], [:],
        ["sv.json": #"{"Password": "a", "Password": "b"}"#],
    ])
    func `Malformed form text files are rejected`(_ files: [String: String]) throws {
        let path = try folder(files)
        #expect(throws: IdentityServerError.self) { try FormTextFolder(path: path).texts() }
        #expect(throws: IdentityServerError.self) { try FormTextFolder(path: path + "/none").texts() }
    }
}
