import LatchkeyModel

/// A placeholder in a message template.
///
/// The raw value is the name that is written between `{{` and `}}`.
enum TemplatePlace: String, CaseIterable {
    case code
    /// The address at which the code can be confirmed, or an empty string if there is none.
    case link
    /// How long the code is valid, or the time until the account is deleted, in words, such as "10 minutes".
    case lifespan
    /// How long the code is valid, in whole minutes, at least 1.
    case minutes
    /// The service name, or an empty string if there is none.
    case app
    /// A phrase that contains the service name, such as " for Shop", or an empty string if there is no name.
    case forApp = "for_app"
    /// A phrase that contains the service name, such as " at Shop", or an empty string if there is no name.
    case atApp = "at_app"
    /// The recipient's phone number or e-mail address.
    case address
    /// The client address of the request that triggered the message, or an empty string if it isn't known.
    case ipAddress = "ip_address"
    /// A phrase that contains the client address, such as " from 192.0.2.1", or an empty string if the
    /// address isn't known.
    case fromIPAddress = "from_ip_address"
    /// The subject of a message about a payment: the product, or the last digits of the card.
    case item
    /// The amount of a payment, such as `4.99 EUR`.
    case amount
    /// The reference of a payment.
    case reference
}

/// The values that replace the placeholders in a message.
struct TemplateValues {
    /// The one-time code, or `nil` if this kind of message doesn't have one.
    let code: String?
    /// The address at which the code can be confirmed, or `nil` if there is none.
    let link: String?
    /// The values of a message about a payment.
    let details: MessageDetails?
    /// How long the code is valid, or the time until the account is deleted.
    ///
    /// Fractions of a second are ignored.
    let lifespan: Duration
    /// The language that phrases are written in.
    let language: Language
    /// The service name, or `nil` if there is none.
    let app: String?
    /// The recipient's phone number or e-mail address.
    let address: String
    /// The client's IP address without the port, or `nil` if the message doesn't mention it.
    let ipAddress: String?

    /// The unescaped value of a placeholder, or an empty string if the message doesn't have a value for it.
    subscript(place: TemplatePlace) -> String {
        switch place {
        case .code: code ?? ""
        case .link: link ?? ""
        case .lifespan: language.words(for: lifespan)
        case .minutes: "\(max(1, lifespan.components.seconds / 60))"
        case .app: app ?? ""
        case .forApp: app.map(language.forApp) ?? ""
        case .atApp: app.map(language.atApp) ?? ""
        case .address: address
        case .ipAddress: ipAddress ?? ""
        case .fromIPAddress: ipAddress.map(language.fromIPAddress) ?? ""
        case .item: details?.item ?? ""
        case .amount: details?.amount ?? ""
        case .reference: details?.reference ?? ""
        }
    }
}
