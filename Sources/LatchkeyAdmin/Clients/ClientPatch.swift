import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A JSON patch (RFC 6902) for the metadata of a client.
struct ClientPatch: Sendable {
    private static let fixed: Set<String> = [
        "client_id", "client_secret_expires_at", "created_at", "updated_at",
    ]
    private static let secretName = "client_secret"

    private let patch: JSONPatch

    /// The new secret that the patch sets.
    let secret: Secret?

    /// Reads a patch.
    ///
    /// - Throws: ``ServerError`` with status 400 if the patch is malformed, or if it refers to the whole
    ///   client or to a member that can't be changed.
    init(_ body: OrderedJSON) throws(ServerError) {
        guard case .array(let operations) = body else {
            throw .malformed("A JSON patch must be an array.")
        }
        // The stored secret isn't part of the document, so the new one is read from the operation.
        var (others, secret): ([OrderedJSON], Secret?) = ([], nil)
        for operation in operations {
            guard operation["path"] == .string("/" + Self.secretName) else {
                others.append(operation)
                continue
            }
            guard
                operation["op"] == .string("add") || operation["op"] == .string("replace"),
                case .string(let text)? = operation["value"], !text.isEmpty
            else { throw .malformed("The JSON patch can only replace /\(Self.secretName) with a string.") }
            secret = Secret(text)
        }
        self.secret = secret
        do {
            patch = try JSONPatch(.array(others))
        } catch {
            throw .malformed(error.reason)
        }
        for place in patch.places {
            let name = place.steps.first ?? ""
            guard !name.isEmpty, !Self.fixed.contains(name), name != Self.secretName else {
                throw .malformed("The JSON patch cannot change /\(PlainName(name)?.description ?? "").")
            }
        }
    }

    /// Applies the patch to the metadata of a client and returns the result, which hasn't been validated.
    ///
    /// - Throws: ``ServerError`` with status 400 if the patch can't be applied.
    func applied(to metadata: ClientMetadata) throws(ServerError) -> OrderedJSON {
        do {
            return try patch.applied(to: .object(metadata.document))
        } catch {
            throw .malformed(error.reason)
        }
    }
}
