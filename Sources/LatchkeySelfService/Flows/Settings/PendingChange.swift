import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A change to an identity's traits that isn't saved until the new address in it has been verified.
///
/// The change is stored in the flow that verifies the address.
struct PendingChange: Sendable {
    /// The address that must be verified before the change is saved.
    let address: ContactAddress

    /// The session that requested the change.
    ///
    /// If the session ends, the change is discarded.
    ///
    /// Otherwise, an intruder whose session was revoked could regain the account with a code that had already
    /// been sent to the intruder's own address.
    let session: Identifier

    /// A hash of the traits when the change was requested, which prevents the pending change from undoing a
    /// later change.
    private let base: String

    /// The new traits.
    ///
    /// The identity keeps its old traits until the address is verified.
    private let traits: OrderedJSON

    /// Creates a pending change.
    ///
    /// - Parameters:
    ///   - traits: The new traits, with a maximum size of ``FlowBounds/pendingTraits`` bytes.
    ///   - identity: The identity in its current state.
    ///   - address: The new address.
    ///   - session: The session that requests the change.
    /// - Throws: ``JSONParser/Failure`` if the traits aren't valid JSON.
    init(
        to traits: Traits,
        of identity: Identity,
        verifying address: ContactAddress,
        in session: Identifier
    ) throws {
        self.address = address
        self.session = session
        base = Self.mark(identity.traits)
        self.traits = try JSONParser.parse(traits.json, from: .storage)
    }

    /// Reads the change stored in a verification flow, or returns `nil` if the flow only verifies an address.
    ///
    /// The channel, address, session, hash and traits must all be present and readable.
    init?(in flow: Flow) {
        guard
            flow.kind == .verification, let kept = flow.traits,
            let change = try? JSONParser.parse(kept, from: .storage),
            case .string(let via)? = change["via"], let channel = Message.Channel(rawValue: via),
            case .string(let address)? = change["address"],
            case .string(let text)? = change["session"], let session = Identifier(text),
            case .string(let base)? = change["base"],
            let traits = change["traits"]
        else { return nil }
        self.address = ContactAddress(via: channel, value: address)
        self.session = session
        self.base = base
        self.traits = traits
    }

    /// The change as JSON, for storage in the flow.
    var json: [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("via")
            writer.string(address.via.rawValue)
            writer.name("address")
            writer.string(address.value)
            writer.name("session")
            writer.identifier(session)
            writer.name("base")
            writer.string(base)
            writer.name("traits")
            writer.value(ordered: traits)
        }
        return writer.bytes
    }

    /// Returns the changed traits, or `nil` if the current traits have changed since the request or the
    /// result doesn't match the schema.
    func traits(of identity: Identity, schema: IdentitySchema) -> Traits? {
        guard Self.mark(identity.traits) == base else { return nil }
        var form = Form()
        return TraitValidator.read(traits, schema: schema, optional: identity.waivedFields, into: &form)
    }

    /// Returns the SHA-256 hash of traits, for comparison.
    private static func mark(_ traits: [UInt8]) -> String {
        Base64URL.encode(SHA256.hash(traits))
    }
}
