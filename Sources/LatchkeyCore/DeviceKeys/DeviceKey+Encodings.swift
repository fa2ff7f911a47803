import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The encodings that the client derives from a key's public point and its signatures.
extension DeviceKey {
    /// Returns the public key as a JSON Web Key on P-256 (RFC 7517), with the members of its thumbprint only.
    ///
    /// - Throws: ``DeviceKeyError`` if the provider's point is not on P-256 in its uncompressed form.
    package func publicJWK() throws(DeviceKeyError) -> String {
        let point = try checkedPoint()
        let (x, y) = (Base64URL.encode(Array(point[1...32])), Base64URL.encode(Array(point[33...])))
        return #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    }

    /// Creates a certificate signing request (PKCS#10, RFC 2986) and signs it with the key.
    ///
    /// - Parameter commonName: The subject's common name, of 1 to 64 characters (RFC 5280, appendix A.1); the
    ///   server puts its own in the certificate.
    /// - Returns: The request in PEM (RFC 7468).
    /// - Throws: ``DeviceKeyError`` if the name has another length or the key cannot be used.
    package func certificateSigningRequest(commonName: String) throws(DeviceKeyError) -> String {
        guard (1...64).contains(commonName.unicodeScalars.count) else {
            throw DeviceKeyError("The common name must have 1 to 64 characters.")
        }
        let information = Self.information(commonName: commonName, point: try checkedPoint())
        let signature = try signature(for: information)
        guard signature.count == 64 else {
            throw DeviceKeyError("A signature on P-256 must have 64 bytes, not \(signature.count).")
        }
        var numbers = DERWriter()
        numbers.append(.sequence) { numbers in
            numbers.append(unsigned: signature[..<32])
            numbers.append(unsigned: signature[32...])
        }
        var request = DERWriter()
        request.append(.sequence) { request in
            request.append(encoded: information)
            request.append(.sequence) { algorithm in
                algorithm.append(.objectIdentifier, bytes: ObjectIdentifier.ecdsaWithSHA256)
            }
            request.append(bitString: numbers.bytes)
        }
        let text = Data(request.bytes).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return "-----BEGIN CERTIFICATE REQUEST-----\n\(text)\n-----END CERTIFICATE REQUEST-----\n"
    }

    /// Returns the part of a request that is signed, `CertificationRequestInfo` (RFC 2986, section 4.1).
    private static func information(commonName: String, point: [UInt8]) -> [UInt8] {
        var writer = DERWriter()
        writer.append(.sequence) { information in
            // The version.
            information.append(unsigned: [0])
            information.append(.sequence) { name in
                name.append(.set) { part in
                    part.append(.sequence) { attribute in
                        attribute.append(.objectIdentifier, bytes: ObjectIdentifier.commonName)
                        attribute.append(.utf8String, bytes: Array(commonName.utf8))
                    }
                }
            }
            information.append(.sequence) { key in
                key.append(.sequence) { algorithm in
                    algorithm.append(.objectIdentifier, bytes: ObjectIdentifier.ecPublicKey)
                    algorithm.append(.objectIdentifier, bytes: ObjectIdentifier.prime256v1)
                }
                key.append(bitString: point)
            }
            // No attributes.
            information.append(.context0) { _ in }
        }
        return writer.bytes
    }

    private func checkedPoint() throws(DeviceKeyError) -> [UInt8] {
        let point = publicPoint
        guard point.count == 65, point.first == 4 else {
            throw DeviceKeyError("The public point must be uncompressed: 65 bytes, beginning with 4.")
        }
        return point
    }
}

/// The object identifiers of a request, encoded without their tags.
private enum ObjectIdentifier {
    /// 2.5.4.3 (X.520).
    static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    /// 1.2.840.10045.2.1 (RFC 5480, section 2.1.1).
    static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// 1.2.840.10045.3.1.7, the curve P-256 (RFC 5480, section 2.1.1.1).
    static let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// 1.2.840.10045.4.3.2 (RFC 5758, section 3.2).
    static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
}
