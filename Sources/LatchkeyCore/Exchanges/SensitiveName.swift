/// The kind of sensitive value that a name suggests.
///
/// Names come from JSON members, form fields and query items.
enum SensitiveName {
    /// A password, a code, a token or a key.
    case secret
    /// A phone number.
    case phone
    /// An e-mail address.
    case email

    /// Suffixes of names that indicate a secret, in lowercase and without underscores or hyphens.
    private static let secretEnds = [
        "token", "tokens", "secret", "secrets", "password", "passwords", "passwd", "pwd", "passphrase",
        "passcode",
        "code", "codes", "otp", "pin", "pins", "key", "keys", "assertion", "jwt", "credential", "credentials",
        "authorization", "cookie", "cookies", "signature", "verifier", "ticket", "tokenhint", "samlresponse",
        "sessionid", "nonce", "requesturi", "cvc", "cvv", "cvn", "csc", "cardnumber", "iban", "ssn",
    ]

    private static let phoneEnds = ["phone", "phonenumber", "mobile", "mobilenumber", "msisdn"]
    private static let emailEnds = ["email", "emailaddress", "mail"]

    /// Members that contain the name of an input.
    ///
    /// In form nodes, the `value` member of the same object contains the value of that input.
    private static let naming = ["name", "key", "id", "field", "parameter"]

    /// Names of members that may contain a status code, so that numbers from 100 to 599 aren't mistaken for
    /// one-time codes.
    private static let statuses = ["code", "statuscode", "errorcode"]

    /// Determines the kind of value from a name.
    ///
    /// Returns `nil` if the name doesn't suggest a sensitive value.
    init?(_ name: String) {
        let name = Self.normalized(name)
        func ends(with list: [String]) -> Bool {
            list.contains { name.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
        if ends(with: Self.secretEnds) {
            self = .secret
        } else if ends(with: Self.phoneEnds) {
            self = .phone
        } else if ends(with: Self.emailEnds) {
            self = .email
        } else {
            return nil
        }
    }

    /// The placeholder that replaces a value.
    var mark: String {
        switch self {
        case .secret: "‹secret›"
        case .phone: "‹phone›"
        case .email: "‹email›"
        }
    }

    /// Returns whether a member contains the name of an input whose value is in the `value` member of the
    /// same object.
    static func isNaming(_ name: String) -> Bool {
        isAny(of: naming, name)
    }

    /// Returns whether a member, such as `value`, may contain a secret that is named by another member of the
    /// same object.
    static func isValue(_ name: String) -> Bool {
        isAny(of: ["value"], name)
    }

    /// Returns whether a number is a status code: it is between 100 and 599, and the member's name suggests a
    /// status.
    static func isStatus(_ name: String, value number: Int) -> Bool {
        (100...599).contains(number) && isAny(of: statuses, name)
    }

    // We compare bytes because a response could contain strings that are slow to normalize as Unicode.
    private static func isAny(of list: [String], _ name: String) -> Bool {
        let name = normalized(name)
        return list.contains { name.elementsEqual($0.utf8) }
    }

    /// Returns a name in lowercase without separators.
    private static func normalized(_ name: String) -> [UInt8] {
        name.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["),
                UInt8(ascii: "]"),
                UInt8(ascii: " "):
                nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }
}
