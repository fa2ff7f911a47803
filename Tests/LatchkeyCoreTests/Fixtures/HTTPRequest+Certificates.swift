import Foundation
import LatchkeyCore
import LatchkeyTesting
import LatchkeyWire

extension HTTP.Request {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns whether the body contains a certificate signing request for a key of ``FakeDeviceKeys``.
    func certifies(key number: UInt8, as commonName: String? = nil) -> Bool {
        guard
            let pem = try? JSONCoding.decode(JSONValue.self, from: body)["csr"]?.text,
            let request = Data(
                base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined()
            )
        else { return false }
        return request.contains(FakeDeviceKeys.publicPoint(of: number))
            && (commonName.map { request.contains($0.utf8) } ?? true)
    }
}
