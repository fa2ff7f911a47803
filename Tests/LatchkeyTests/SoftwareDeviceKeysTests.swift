import Latchkey
import LatchkeyCore
import LatchkeyCrypto
import Testing

@Suite struct `Software device keys` {
    private let keys = SoftwareDeviceKeys()

    @Test func `A restored key signs requests that prove its possession`() throws {
        let key = try keys.makeKey()
        let again = try keys.key(from: key.storedForm)

        let requests = try [key, again].map {
            try CertificateSigningRequest(pem: $0.certificateSigningRequest(commonName: "device")).verified()
        }

        #expect(requests[0].publicKey == requests[1].publicKey)
        #expect(again.storedForm == key.storedForm)
    }

    @Test func `Each generated key is different`() throws {
        #expect(try keys.makeKey().storedForm != keys.makeKey().storedForm)
    }

    @Test(arguments: [[], [0x30], [UInt8](repeating: 0, count: 138)])
    func `A key is not restored from invalid bytes`(storedForm: [UInt8]) {
        #expect(throws: DeviceKeyError.self) { try keys.key(from: storedForm) }
    }

    @Test func `A signing request with an invalid common name is rejected`() throws {
        let key = try keys.makeKey()

        #expect(throws: DeviceKeyError.self) { try key.certificateSigningRequest(commonName: "") }
    }

    @Test func `The description of a key does not contain it`() throws {
        let key = try keys.makeKey()
        var dumped = ""
        dump(key, to: &dumped)

        #expect("\(key) \(String(reflecting: key)) \(dumped)" == "‹key› ‹key› - ‹key›\n")
    }
}
