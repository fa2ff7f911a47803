import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// The `ory.sh/kratos` annotation of a trait, which says how the trait is used for login, verification and
/// recovery.
struct TraitAnnotation {
    /// Whether the trait is a login identifier for the `password` or `code` method.
    private(set) var isIdentifier = false
    /// The channel for login codes, from `credentials.code.via`.
    ///
    /// `nil` unless the trait is an identifier for the `code` method.
    private(set) var codeChannel: Message.Channel?
    /// The channel for verification codes, from `verification.via`.
    ///
    /// `nil` if the trait can't be verified.
    private(set) var verification: Message.Channel?
    /// The channel for recovery codes, from `recovery.via`.
    ///
    /// `nil` if the trait isn't a recovery address.
    private(set) var recovery: Message.Channel?

    /// Reads an annotation.
    ///
    /// The members `code`, `verification` and `recovery` must each contain `via`. Credentials of other
    /// methods, such as `webauthn`, are ignored.
    ///
    /// - Parameters:
    ///   - annotation: The annotation, or `nil` if the trait doesn't have one.
    ///   - shape: The trait's shape. It must be a string whose format is suitable for all channels in the
    ///     annotation.
    ///   - warnings: The list to which ignored credentials are appended.
    /// - Throws: ``SchemaError`` if a member is unknown or doesn't match the shape.
    init(
        _ annotation: SchemaObject?,
        shape: TraitSchema.Shape,
        warnings: inout [String]
    ) throws(SchemaError) {
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
            for member in credentials.all() {
                let place = credentials.pointer(member.name)
                warnings.append("\(place): is ignored; this server does not have this method")
            }
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

    /// Reads the required `via` member.
    ///
    /// The channel must match the trait's format, which is either `email` or `tel`.
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
