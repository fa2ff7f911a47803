import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

extension Form {
    /// Returns the form of a login, filled in with the identifier that a client suggests (`login_hint`).
    ///
    /// The hint is untrusted text that any site can choose. It only fills in the field, and the server never looks
    /// it up.
    static func hinting(at hint: String?) -> Form {
        guard let hint = usable(hint) else { return Form() }
        return Form(values: ["identifier": .string(hint)])
    }

    /// Returns the form of a registration, in which the address that a client suggests is filled in.
    static func hinting(at hint: String?, for schema: IdentitySchema) -> Form {
        guard let hint = usable(hint) else { return Form() }
        let format: TraitSchema.Format? =
            EmailAddress(hint) != nil ? .email : PhoneNumber(hint) != nil ? .tel : nil
        let field = schema.fields.first { field in
            guard field.schema.isIdentifier, case .string = field.schema.shape else { return false }
            return field.format == format
        }
        guard let field else { return Form() }
        return Form(values: [field.name: .string(hint)])
    }

    /// Returns a hint that a user can read, or `nil`.
    private static func usable(_ hint: String?) -> String? {
        guard let hint, !hint.isEmpty, hint.utf8.count <= LoginIdentifier.byteLimit, hint.displayable == hint
        else { return nil }
        return hint
    }
}
