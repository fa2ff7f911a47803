import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// An address in a draft, with the members that Kratos's API has for it.
///
/// A draft can change the verification of an address. The other members follow from the traits and from the
/// time of a change. When an identity is changed, they are accepted only if they are equal to the stored ones.
struct DraftedAddress: Sendable {
    /// The members that can't be changed, with their names in the API.
    private struct Fixed: Hashable, Sendable {
        var id: Identifier?
        var via: String?
        var createdAt: Timestamp?
        var updatedAt: Timestamp?
    }

    private static let members: Set = ["id", "value", "via", "created_at", "updated_at"]

    /// The JSON Pointer of the address, such as `/verifiable_addresses/0`.
    let place: String
    /// The normalized phone number or e-mail address.
    let value: String
    private var fixed = Fixed()
    private var verified: Bool?
    /// The status that an unverified address gets, or `nil` if the status doesn't change.
    private(set) var status: Identity.VerifiableAddress.Status?
    /// When the address was verified.
    private(set) var verifiedAt: Timestamp?

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - json: The JSON object. Members whose value is null are treated as missing.
    ///   - place: The JSON Pointer of the object.
    ///   - isVerifiable: Whether the address may have the members `verified`, `status` and `verified_at`.
    /// - Throws: ``ServerError`` with status 400, which contains the path of the invalid member.
    init(_ json: OrderedJSON, at place: String, isVerifiable: Bool) throws(ServerError) {
        let verification: Set = isVerifiable ? ["verified", "status", "verified_at"] : []
        var value: String?
        for member in try json.members(among: Self.members.union(verification), at: place) {
            switch member.name {
            case "value": value = LoginIdentifier.normalize(try member.text)
            case "verified": verified = try member.bool
            case "status":
                guard let known = Identity.VerifiableAddress.Status(rawValue: try member.text) else {
                    throw .malformed("The member \(place)/status must be pending, sent or completed.")
                }
                status = known
            case "verified_at": verifiedAt = try Self.time(member, at: place)
            case "created_at": fixed.createdAt = try Self.time(member, at: place)
            case "updated_at": fixed.updatedAt = try Self.time(member, at: place)
            case "via": fixed.via = try member.text
            default:
                guard let id = Identifier(try member.text) else {
                    throw .malformed("The member \(place)/id must be a UUID.")
                }
                fixed.id = id
            }
        }
        guard let value, !value.isEmpty else {
            throw .malformed("The address \(place) has no member named value.")
        }
        self.place = place
        self.value = value
    }

    private static func time(_ member: OrderedJSON.Member, at place: String) throws(ServerError) -> Timestamp
    {
        guard let time = Timestamp(rfc3339: try member.text) else {
            throw .malformed(
                "The member \(place)/\(member.name) must be a time such as 2023-11-22T10:00:00Z."
            )
        }
        return time
    }

    /// Whether the draft says only that the identity has the address.
    var isBare: Bool { verified == nil && status == nil && verifiedAt == nil && fixed == Fixed() }

    /// Whether the draft says that the address isn't verified.
    var isUnverified: Bool { verified == false }

    /// Returns whether the address is verified after the change, or `nil` if this doesn't change.
    ///
    /// The status `completed` verifies an address, too.
    ///
    /// - Throws: ``ServerError`` with status 400 if the members contradict each other, so that one of them
    ///   would be ignored.
    func verification(of stored: Identity.VerifiableAddress) throws(ServerError) -> Bool? {
        if let verified, let status, verified != (status == .completed) {
            throw .malformed("The members \(place)/verified and \(place)/status contradict each other.")
        }
        let isVerified = verified ?? (status == .completed ? true : nil)
        let becomes = isVerified ?? stored.isVerified
        if let status, status != .completed, becomes {
            throw .malformed(
                "The member \(place)/status can only be \(status.rawValue) if verified is false."
            )
        }
        guard verifiedAt == nil || becomes else {
            throw .malformed("The member \(place)/verified_at requires that verified is true.")
        }
        return isVerified
    }

    /// Returns the address of an identity that the draft refers to, after checking the members that can't be
    /// changed.
    ///
    /// - Parameters:
    ///   - addresses: The identity's addresses of the same kind.
    ///   - kind: The kind of address, as part of an error message.
    ///   - isNew: Whether the identity is being created. Its addresses have no id and no times yet, so those in
    ///     the draft are ignored.
    /// - Returns: The stored address.
    /// - Throws: ``ServerError`` with status 400, which contains the path of the address or of a different
    ///   member.
    func stored<Address: StoredAddress>(
        in addresses: [Address],
        kind: String,
        isNew: Bool
    ) throws(ServerError) -> Address {
        guard let stored = addresses.first(where: { $0.address.value.hasSameBytes(as: value) }) else {
            throw .malformed("The address \(place) is not a \(kind) address in the traits.")
        }
        func require<Value: Equatable>(_ given: Value?, is stored: Value, _ name: String) throws(ServerError)
        {
            guard given == nil || given == stored else {
                throw .malformed("The member \(place)/\(name) cannot be changed.")
            }
        }
        try require(fixed.via, is: stored.address.via.rawValue, "via")
        if !isNew {
            try require(fixed.id, is: stored.id, "id")
            try require(fixed.createdAt, is: stored.createdAt, "created_at")
            try require(fixed.updatedAt, is: stored.updatedAt, "updated_at")
        }
        return stored
    }
}
