import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// A change of traits that waits for its new address to be verified; kept in the flow that verifies it.
struct PendingChange: Sendable {
    /// The address that is to be verified first.
    let address: Traits.Address

    /// The session that asked for it, with which the change ends: whoever is thrown out of an account must not come back
    /// by a code that was on its way to an address of their own.
    let session: Identifier

    /// What the traits were when it was asked for: it undoes nothing that was changed meanwhile.
    private let base: String

    private let traits: OrderedJSON

    init(
        to traits: Traits,
        of identity: Identity,
        verifying address: Traits.Address,
        in session: Identifier
    ) throws {
        self.address = address
        self.session = session
        base = Self.mark(identity.traits)
        self.traits = try JSONParser.parse(traits.json, from: .storage)
    }

    /// Reads the change that a flow waits for; nothing in a flow that only verifies.
    init?(in flow: Flow) {
        guard
            flow.kind == .verification, let kept = flow.traits,
            let change = try? JSONParser.parse(kept, from: .storage),
            case .string(let via)? = change["via"], let channel = TraitSchema.Channel(rawValue: via),
            case .string(let address)? = change["address"],
            case .string(let text)? = change["session"], let session = Identifier(text),
            case .string(let base)? = change["base"],
            let traits = change["traits"]
        else { return nil }
        self.address = Traits.Address(via: channel, value: address)
        self.session = session
        self.base = base
        self.traits = traits
    }

    /// What is kept of it.
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

    /// The traits that it makes of an identity's; nothing when those are others by now, or the schema is.
    func traits(of identity: Identity, _ schema: IdentitySchema) -> Traits? {
        guard Self.mark(identity.traits) == base else { return nil }
        var form = Form()
        let released = identity.record.releasedFields(schema)
        return TraitReader.read(traits, schema, optional: released, into: &form)
    }

    private static func mark(_ traits: [UInt8]) -> String {
        Base64URL.encode(SHA256.hash(traits))
    }
}
