package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The claims about a user that clients get in ID tokens and from the userinfo endpoint (OpenID Connect Core,
/// section 5.1).
///
/// Texts come from users, so clients must treat them as untrusted.
package struct IdentityClaims: Sendable {
    private let values: [IdentityClaim: String]
    /// The claims whose addresses belong to the user.
    private let verified: Set<IdentityClaim>
    private let updatedAt: Timestamp

    /// Creates the claims about an identity.
    ///
    /// An address is verified only if it is proven and the account is confirmed. An attacker who signs up with
    /// another person's address can wait until that person presses the button in the mail, which proves the
    /// address but doesn't confirm the account.
    ///
    /// Addresses are in their normalized form, because only that form was proven. Released addresses are left
    /// out, because another user may have proven them.
    ///
    /// - Parameters:
    ///   - schema: The identity's schema, or `nil` if it was removed. Then only `updated_at` is known.
    ///   - traits: The identity's traits, or `nil` if they can't be parsed.
    ///   - addressStates: The ownership states of the identity's addresses.
    ///   - isConfirmed: Whether the account is confirmed.
    ///   - updatedAt: When the identity last changed.
    package init(
        schema: IdentitySchema?,
        traits: OrderedJSON?,
        addressStates: [ContactAddress: AddressState],
        isConfirmed: Bool,
        updatedAt: Timestamp
    ) {
        var values: [IdentityClaim: String] = [:]
        var verified: Set<IdentityClaim> = []
        for field in schema?.fields ?? [] {
            guard let claim = field.schema.claim, let text = field.text(in: traits), !text.isBlank else {
                continue
            }
            switch claim {
            case .email, .phoneNumber:
                guard
                    let address = ContactAddress(trait: text), claim.accepts(address),
                    addressStates[address] != .released
                else { continue }
                values[claim] = address.value
                if isConfirmed, addressStates[address] == .proven { verified.insert(claim) }
            case .birthdate: if text.isBirthdate { values[claim] = text }
            case .name, .givenName, .familyName, .nickname, .locale: values[claim] = text
            }
        }
        if values[.name] == nil {
            let parts = [values[.givenName], values[.familyName]].compactMap(\.self)
            if !parts.isEmpty { values[.name] = parts.joined(separator: " ") }
        }
        self.values = values
        self.verified = verified
        self.updatedAt = updatedAt
    }

    /// Writes the claims of scopes as members of an object.
    ///
    /// Claims that are empty are left out. Scopes without claims of a user are ignored.
    package func write(for scopes: Set<String>, to writer: inout JSONWriter) {
        for claim in IdentityClaim.allCases where scopes.contains(claim.scope.rawValue) {
            guard let text = values[claim] else { continue }
            writer.name(escaping: claim.rawValue)
            writer.string(text)
            if let verification = claim.verification {
                writer.name(escaping: verification)
                writer.bool(verified.contains(claim))
            }
        }
        if scopes.contains(IdentityClaim.Scope.profile.rawValue) {
            writer.name("updated_at")
            writer.integer(updatedAt.seconds)
        }
    }
}

extension IdentityClaims {
    /// The columns that claims are read from.
    ///
    /// Queries must use the table alias `i` for identities, and contain ``join``.
    package static let columns: SQL =
        "i.schema_id, i.traits, i.confirmed_at, i.updated_at, \(AddressStateRepository.columns)"

    /// The number of ``columns``.
    package static let columnCount = 7

    /// Joins the states of the identity's addresses, so that there is one row for each state, or a single row.
    package static let join: SQL = "LEFT JOIN address_states a ON a.identity_id = i.id"

    /// Reads claims from the rows of a query.
    ///
    /// Returns `nil` if there are no rows.
    ///
    /// - Parameters:
    ///   - rows: All rows about one identity. A row that was left out would make an address unverified.
    ///   - offset: The position of the first one of ``columns``.
    ///   - schemas: The identity schemas.
    /// - Throws: ``DatabaseError``, with the code `mismatch` if this version of the server can't read a row.
    package init?(
        rows: some Sequence<Row>,
        at offset: Int = 0,
        schemas: SchemaCatalog
    ) throws(DatabaseError) {
        var first: Row?
        var states: [ContactAddress: AddressState] = [:]
        for row in rows {
            first = first ?? row
            guard !row.isNull(offset + 4) else { continue }
            let (address, state) = try AddressStateRepository.state(in: row, at: offset + 4)
            states[address] = state
        }
        guard let first else { return nil }
        self.init(
            schema: schemas[try first.text(offset)],
            traits: try? JSONParser.parse(try first.blob(offset + 1), from: .storage),
            addressStates: states,
            isConfirmed: try first.optional(offset + 2, as: Row.time) != nil,
            updatedAt: try first.time(offset + 3)
        )
    }
}

extension IdentityClaim {
    /// Returns whether an address is of the claim's kind.
    fileprivate func accepts(_ address: ContactAddress) -> Bool {
        switch (self, address.via) {
        case (.email, .email), (.phoneNumber, .sms): true
        default: false
        }
    }
}

extension ContactAddress {
    /// Returns the address in a trait in the form in which its state is stored, or `nil` if it isn't one.
    fileprivate init?(trait text: String) {
        guard text.utf8.count <= LoginIdentifier.byteLimit else { return nil }
        self.init(LoginIdentifier.normalize(text))
    }
}

extension String {
    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// Whether the text is a date or a year (OpenID Connect Core, section 5.1).
    ///
    /// The year of a date is 0000 if the user hasn't entered one.
    fileprivate var isBirthdate: Bool {
        let digits: ClosedRange<UInt8> = UInt8(ascii: "0")...UInt8(ascii: "9")
        if utf8.count == 4 { return utf8.allSatisfy(digits.contains) }
        return utf8.count == 10 && Timestamp(rfc3339: self + "T00:00:00Z") != nil
    }
}
