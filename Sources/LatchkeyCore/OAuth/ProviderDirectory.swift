import LatchkeyModel
import LatchkeyWire

/// The metadata and the keys of the client's provider.
final class ProviderDirectory: Sendable {
    /// How long metadata and keys are used, unless the app is restarted before.
    private static let lifespan: Duration = .seconds(3600)
    /// The time between two requests for the keys.
    private static let keyPause: Duration = .seconds(60)

    private struct Memory: Sendable {
        var metadata: (value: ProviderMetadata, fetchedAt: Duration)?
        var keys: (value: [ProviderKey], fetchedAt: Duration)?
    }

    let issuer: String
    private let api: ProviderAPI
    private let time: any TimeSource
    private let memory = Locked(Memory())

    init(issuer: String, api: ProviderAPI, time: any TimeSource) {
        (self.issuer, self.api, self.time) = (issuer, api, time)
    }

    /// Returns the metadata of the provider, which are fetched if they aren't known.
    func metadata() async throws(LatchkeyError) -> ProviderMetadata {
        if let known = memory.withLock({ $0.metadata }), time.uptime < known.fetchedAt + Self.lifespan {
            return known.value
        }
        guard let base = WebAddress(issuer), base.isConfidential, base.query == nil,
            let address = WebAddress(base.base + ProviderMetadata.path)
        else {
            throw LatchkeyError(.invalidInput, message: "The issuer of the provider must be an https URL.")
        }
        let start = time.uptime
        let found = try ProviderMetadata(decoding: try await api.document(at: address), of: issuer)
        memory.withLock { $0.metadata = (found, start) }
        return found
    }

    /// Returns the endpoint that revokes tokens, or `nil` if the provider has none.
    ///
    /// OpenID providers may publish it only among the metadata of OAuth servers (RFC 8414, section 3.1).
    func revocationEndpoint() async throws(LatchkeyError) -> WebAddress? {
        if let endpoint = try await metadata().revocationEndpoint { return endpoint }
        guard let base = WebAddress(issuer),
            let address = WebAddress(base.origin + ProviderMetadata.serverPath + base.pathPrefix)
        else { return nil }
        let json: JSONValue
        do throws(LatchkeyError) {
            json = try await api.document(at: address)
        } catch  where error.isLostAnswer || error.code == .cancelled || error.code == .serverFailed {
            throw error
        } catch {
            // There are no such metadata.
            return nil
        }
        guard json["issuer"]?.text?.hasSameBytes(as: issuer) == true,
            let endpoint = json["revocation_endpoint"]?.text.flatMap({ WebAddress($0) }),
            endpoint.isConfidential
        else { return nil }
        return endpoint
    }

    /// Returns whether one of the provider's keys has signed a token.
    ///
    /// If the key isn't known, the keys are fetched again, but not more often than once a minute. A key that the
    /// provider has withdrawn is trusted for an hour at most.
    func hasSigned(
        _ token: IDToken,
        verifier: any SignatureVerifier
    ) async throws(LatchkeyError) -> Bool {
        if let known = memory.withLock({ $0.keys }), time.uptime < known.fetchedAt + Self.lifespan {
            if token.isSigned(by: known.value, verifier: verifier) { return true }
            guard time.uptime >= known.fetchedAt + Self.keyPause else { return false }
        }
        let start = time.uptime
        let json = try await api.document(at: try await metadata().keySet)
        guard let keys = ProviderKey.keys(decoding: json) else {
            throw LatchkeyError(.invalidResponse, message: "The provider's keys have an unknown format.")
        }
        memory.withLock { $0.keys = (keys, start) }
        return token.isSigned(by: keys, verifier: verifier)
    }
}
