import Foundation
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Server keys` {
    private let folder = TemporaryFolder()
    private let purpose = ServerSecrets.Purpose(rawValue: "test")

    private func keys(random: any RandomSource = SystemRandom()) throws -> ServerKeys {
        try ServerKeys(in: DataFolder(folder.path + "/data"), time: VirtualTime(), random: random)
    }

    private func file(_ name: String) -> String { folder.path + "/data/" + name }

    @Test func `Keys are created once and then read again`() throws {
        let made = try keys()
        let found = try keys()

        #expect(found.secrets.keyBytes(for: purpose) == made.secrets.keyBytes(for: purpose))
        #expect(found.authority.certificate.pem == made.authority.certificate.pem)
    }

    @Test func `Only the owner can read the keys`() throws {
        _ = try keys()

        for name in ["", "secrets", "ca.key", "ca.pem", "lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
            let mode = try #require(attributes[.posixPermissions] as? NSNumber)
            #expect(mode.intValue & 0o077 == 0, "\(name)")
        }
    }

    @Test func `Processes that create the keys concurrently get the same keys`() async throws {
        let path = folder.path + "/data"
        let results = (0..<8).map { _ in Deferred<Result<ServerKeys, any Error>>() }
        // Use threads instead of tasks, because waiting for the lock blocks the thread.
        for result in results {
            _ = try WorkThread {
                result.set(
                    Result {
                        try ServerKeys(in: DataFolder(path), time: VirtualTime(), random: SystemRandom())
                    }
                )
            }
        }

        var certificates: Set<String> = []
        var secrets: Set<[UInt8]> = []
        for result in results {
            let keys = try await result.value.get()
            certificates.insert(keys.authority.certificate.pem)
            secrets.insert(keys.secrets.keyBytes(for: purpose))
        }

        #expect(certificates.count == 1)
        #expect(secrets.count == 1)
    }

    @Test func `The first secret is used to sign, and all secrets can verify`() throws {
        let first = try keys()
        let old = try String(contentsOfFile: file("secrets"), encoding: .utf8)
        try Data((Base64URL.encode([UInt8](repeating: 7, count: 32)) + "\n" + old).utf8)
            .write(to: URL(fileURLWithPath: file("secrets")))

        let second = try keys()

        #expect(second.secrets.keyBytes(for: purpose) != first.secrets.keyBytes(for: purpose))
        #expect(second.secrets.keys(for: purpose).count == 2)
    }

    static let damages: [(file: String, text: String?, complaint: String)] = [
        ("secrets", "", "does not contain valid secrets"),
        ("secrets", "short", "does not contain valid secrets"),
        ("secrets", "not base64!", "does not contain valid secrets"),
        ("ca.key", "", "cannot be used"),
        ("ca.pem", "", "cannot be used"),
        ("ca.pem", nil, "No such file"),
    ]

    @Test(arguments: damages)
    func `Damaged keys are rejected and never replaced`(name: String, text: String?, complaint: String) throws
    {
        _ = try keys()
        if let text {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
        } else {
            try FileManager.default.removeItem(atPath: file(name))
        }

        let error = #expect(throws: DataFolderError.self) { try keys() }

        #expect(error?.description.contains(complaint) == true)
        #expect(error?.description.contains(file(name)) == true)
        #expect(try text == nil || String(contentsOfFile: file(name), encoding: .utf8) == text)
    }

    @Test(arguments: ["secrets", "ca.key"])
    func `Keys are not created next to a database that was used with other keys`(name: String) throws {
        _ = try keys()
        try Data().write(to: URL(fileURLWithPath: file("latchkey.db")))
        try FileManager.default.removeItem(atPath: file(name))

        let error = #expect(throws: DataFolderError.self) { try keys() }

        #expect(error?.description.contains("restore the file from a backup") == true)
    }

    @Test func `Keys in a folder that other users can read are rejected`() throws {
        _ = try keys()
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: file(""))

        let error = #expect(throws: DataFolderError.self) { try keys() }

        #expect(error?.description.contains("chmod 700") == true)
    }

    @Test func `Keys survive a start that was interrupted before the authority's key was created`() throws {
        _ = try keys()
        try FileManager.default.removeItem(atPath: file("ca.key"))
        try Data("half".utf8).write(to: URL(fileURLWithPath: file("ca.key.draft")))

        let made = try keys()
        let found = try keys()

        #expect(found.authority.certificate.pem == made.authority.certificate.pem)
    }
}
