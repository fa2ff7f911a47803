import LatchkeyCourier
import LatchkeyModel

/// The annotation `ory.sh/kratos` of a trait, which defines its roles in login, verification and recovery.
struct TraitAnnotation {
    /// Whether the value is a login identifier for the method `password` or `code`.
    private(set) var isIdentifier = false
    /// The channel for login codes, from `credentials.code.via`.
    ///
    /// The channel is `nil` unless the trait is an identifier for the method `code`.
    private(set) var codeChannel: Message.Channel?
    /// The channel for verification codes, from `verification.via`; `nil` if the trait is not verifiable.
    private(set) var verification: Message.Channel?
    /// The channel for recovery codes, from `recovery.via`; `nil` if the trait is not a recovery address.
    private(set) var recovery: Message.Channel?

    /// Reads an annotation.
    ///
    /// `via` is required in each of the members `code`, `verification` and `recovery`.
    ///
    /// - Parameters:
    ///   - annotation: The value of the member; `nil` for a trait without a role.
    ///   - shape: The shape of the trait, which must be a string whose format matches each channel.
    /// - Throws: ``SchemaError`` if a member is unknown or does not match the shape.
    init(_ annotation: SchemaObject?, shape: TraitSchema.Shape) throws(SchemaError) {
        guard var annotation else { return }
        guard case .string(let rule) = shape else {
            throw SchemaError(place: annotation.place, message: "is only allowed for a string")
        }
        if var credentials = try annotation.object("credentials") {
            if var password = try credentials.object("password") {
                isIdentifier = try password.bool("identifier") ?? false
                try password.finish()
            }
            if var code = try credentials.object("code") {
                let isCodeIdentifier = try code.bool("identifier") ?? false
                let channel = try Self.channel(in: &code, rule: rule)
                if isCodeIdentifier {
                    isIdentifier = true
                    codeChannel = channel
                }
                try code.finish()
            }
            try credentials.finish()
        }
        if var object = try annotation.object("verification") {
            verification = try Self.channel(in: &object, rule: rule)
            try object.finish()
        }
        if var object = try annotation.object("recovery") {
            recovery = try Self.channel(in: &object, rule: rule)
            try object.finish()
        }
        try annotation.finish()
    }

    /// Reads the required member `via`, whose channel must match the format of the trait: `email` or `tel`.
    private static func channel(
        in object: inout SchemaObject,
        rule: TraitSchema.StringRule
    ) throws(SchemaError) -> Message.Channel {
        guard let channel = try object.choice("via", among: Message.Channel.allCases) else {
            throw SchemaError(place: object.place, message: "must have a member “via”")
        }
        let format: TraitSchema.Format = channel == .email ? .email : .tel
        guard rule.format == format else {
            throw SchemaError(
                place: object.pointer("via"),
                message: "requires the format \(format.rawValue)"
            )
        }
        return channel
    }
}
