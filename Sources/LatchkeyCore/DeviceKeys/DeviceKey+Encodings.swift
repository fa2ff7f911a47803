import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes the public key as a JSON Web Key, and creates certificate signing requests.
extension DeviceKey {
    /// Returns the public key as a JSON Web Key (RFC 7517) that contains only the members needed for its
    /// thumbprint.
    ///
    /// - Throws: ``DeviceKeyError`` if the provider's public point is not a valid uncompressed point.
    package func publicJWK() throws(DeviceKeyError) -> String {
        let point = try checkedPoint()
        let (x, y) = (Base64URL.encode(Array(point[1...32])), Base64URL.encode(Array(point[33...])))
        return #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    }

    /// Creates a certificate signing request (PKCS#10, RFC 2986) and signs it with the key.
    ///
    /// - Parameter commonName: The subject's common name, from 1 to 64 characters long (RFC 5280, appendix
    ///   A.1). The server chooses the name in the certificate, regardless of this name.
    /// - Returns: The request in PEM format (RFC 7468).
    /// - Throws: ``DeviceKeyError`` if the name is too long or empty, or if the key cannot be used.
    package func certificateSigningRequest(commonName: String) throws(DeviceKeyError) -> String {
        guard (1...64).contains(commonName.unicodeScalars.count) else {
            throw DeviceKeyError(.failed, message: "The common name must be 1 to 64 characters long.")
        }
        let information = Self.information(commonName: commonName, point: try checkedPoint())
        let signature = try signature(for: information)
        guard signature.count == 64 else {
            throw DeviceKeyError(
                .failed,
                message: "A P-256 signature must be 64 bytes long, not \(signature.count)."
            )
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

    /// Returns the signed part of the request, called `CertificationRequestInfo` in RFC 2986, section 4.1.
    private static func information(commonName: String, point: [UInt8]) -> [UInt8] {
        var writer = DERWriter()
        writer.append(.sequence) { information in
            // The version number.
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
            // The empty set of attributes.
            information.append(.context0) { _ in }
        }
        return writer.bytes
    }

    private func checkedPoint() throws(DeviceKeyError) -> [UInt8] {
        let point = publicPoint
        guard point.count == 65, point.first == 4 else {
            throw DeviceKeyError(
                .failed,
                message: "The public point must be uncompressed: 65 bytes starting with 0x04."
            )
        }
        return point
    }
}

/// The object identifiers used in a certificate signing request, encoded without their tags.
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
