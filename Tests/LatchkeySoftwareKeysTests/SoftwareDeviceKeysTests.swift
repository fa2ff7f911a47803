import Foundation
import LatchkeyCore
import LatchkeyCrypto
import LatchkeySoftwareKeys
import TestProcesses
import Testing

@Suite struct `Software device keys` {
    private let keys = SoftwareDeviceKeys()

    @Test func `A key that was restored from its stored form can sign certificate requests`() throws {
        let key = try keys.makeKey()
        let again = try keys.key(from: key.storedForm)

        let requests = try [key, again].map {
            try CertificateSigningRequest(pem: $0.certificateSigningRequest(commonName: "device")).verified()
        }

        #expect(requests[0].publicKey == requests[1].publicKey)
        #expect(again.storedForm == key.storedForm)
    }

    @Test(arguments: 0..<20)
    func `The openssl command accepts a signing request`(_: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "csr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pem = try keys.makeKey().certificateSigningRequest(commonName: "device-1")
        try Data(pem.utf8).write(to: folder.appending(path: "request.pem"))

        let outcome = try await ChildProcess.run(
            ["openssl", "req", "-in", "request.pem", "-verify", "-noout", "-subject"],
            in: folder.path
        )

        #expect(outcome.code == 0)
        #expect(outcome.text.contains("verify OK"), "\(outcome.text)")
        #expect(outcome.text.contains("CN = device-1"), "\(outcome.text)")
    }

    @Test func `The JSON Web Key matches the one from OpenSSL`() throws {
        let key = try keys.makeKey()
        let openSSL = try SigningKey(pkcs8: key.storedForm)

        #expect(try key.publicJWK() == openSSL.publicKey.jwk)
    }

    @Test func `Each generated key is different`() throws {
        #expect(try keys.makeKey().storedForm != keys.makeKey().storedForm)
    }

    @Test(arguments: [[], [0x30], [UInt8](repeating: 0, count: 138)])
    func `A key cannot be restored from invalid data`(storedForm: [UInt8]) {
        #expect(throws: DeviceKeyError.self) { try keys.key(from: storedForm) }
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `A signing request is rejected if the common name is empty or too long`(name: String) throws {
        let key = try keys.makeKey()

        #expect(throws: DeviceKeyError.self) { try key.certificateSigningRequest(commonName: name) }
    }

    @Test func `The description of a key does not reveal the key`() throws {
        let key = try keys.makeKey()
        var dumped = ""
        dump(key, to: &dumped)

        #expect("\(key) \(String(reflecting: key)) \(dumped)" == "‹key› ‹key› - ‹key›\n")
    }
}
