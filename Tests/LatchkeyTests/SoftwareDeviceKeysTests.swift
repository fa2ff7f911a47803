import Latchkey
import LatchkeyCore
import LatchkeyCrypto
import Testing

@Suite struct `A device key in software` {
    private let keys = SoftwareDeviceKeys()

    @Test func `makes requests that prove its possession, also after it was stored`() throws {
        let key = try keys.makeKey()
        let again = try keys.key(from: key.storedForm)

        let requests = try [key, again].map {
            try CertificateSigningRequest(pem: $0.certificateSigningRequest(commonName: "device")).verified()
        }

        #expect(requests[0].publicKey == requests[1].publicKey)
        #expect(again.storedForm == key.storedForm)
    }

    @Test func `is another one each time`() throws {
        #expect(try keys.makeKey().storedForm != keys.makeKey().storedForm)
    }

    @Test(arguments: [[], [0x30], [UInt8](repeating: 0, count: 138)])
    func `is not read from anything else`(storedForm: [UInt8]) {
        #expect(throws: DeviceKeyError.self) { try keys.key(from: storedForm) }
    }

    @Test func `refuses a name that cannot stand in a request`() throws {
        let key = try keys.makeKey()

        #expect(throws: DeviceKeyError.self) { try key.certificateSigningRequest(commonName: "") }
    }

    @Test func `never prints itself`() throws {
        let key = try keys.makeKey()
        var dumped = ""
        dump(key, to: &dumped)

        #expect("\(key) \(String(reflecting: key)) \(dumped)" == "‹key› ‹key› - ‹key›\n")
    }
}
