public import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The settings for the purchase API.
///
/// The API is disabled unless a catalog is configured.
public struct CommerceSettings: Sendable {
    /// The path of the catalog, which is a JSON5 file.
    ///
    /// If this is `nil`, the purchase API is disabled.
    public var catalog: String?

    /// The code of the default region (ISO 3166-1 alpha-2).
    ///
    /// This region is used for users whose region is unknown or has no storefront. If this is `nil`, the
    /// catalog must have exactly one storefront, which is the default.
    public var defaultRegion: String?

    /// The ids of the apps that can request a signed purchase history.
    ///
    /// If the list is empty, any id without a colon or a slash is accepted.
    public var apps: [String] = []

    /// The highest total of an order that needs no step-up, in each currency.
    ///
    /// An order above the limit requires a recent login or a device key that is at least a day old. If the list
    /// is empty, no order needs a step-up. Otherwise, every order in a currency that isn't listed does.
    public var stepUpAbove: [Money] = []

    /// How long a payment can remain pending before it is cancelled.
    ///
    /// The timeout must be between 1 minute and 7 days.
    public var paymentTimeout: Duration = .seconds(3600)

    /// How long the user has to confirm a deferred transaction before it fails.
    ///
    /// The timeout must be between 1 minute and 30 days.
    public var confirmationTimeout: Duration = .seconds(86_400)

    /// How long payments with the sandbox's timeout card remain pending.
    ///
    /// The delay must be between 0 seconds and 1 day.
    public var sandboxDelay: Duration = .seconds(30)

    /// Creates settings with their default values.
    ///
    /// The purchase API is disabled by default.
    public init() {}

    /// Defines the settings of the purchase API.
    package static let settings: [Setting<CommerceSettings>] = [
        Setting(
            "commerce.catalog",
            member: \.catalog,
            kind: .optional(.text),
            summary: "The JSON5 file that contains the products. Without it, the purchase API is disabled."
        ),
        Setting(
            "commerce.default_region",
            member: \.defaultRegion,
            kind: .region,
            summary:
                "The region for users whose region is unknown or has no storefront. Required if the catalog has several storefronts."
        ),
        Setting(
            "commerce.apps",
            member: \.apps,
            kind: .list,
            summary:
                "The ids of the apps that can request a signed purchase history. If the list is empty, any id without a colon or a slash is accepted."
        ),
        Setting(
            "commerce.step_up_above",
            member: \.stepUpAbove,
            kind: .amounts,
            summary:
                "The highest total of an order that needs no recent login or day-old device, in each currency, such as [\"100.00 EUR\", \"1000.00 NOK\"]. Off if empty; otherwise other currencies always need one."
        ),
        Setting(
            "commerce.payment_timeout",
            member: \.paymentTimeout,
            kind: .duration(.seconds(60) ... .seconds(7 * 86_400)),
            summary: "How long a payment can remain pending before it is cancelled."
        ),
        Setting(
            "commerce.confirmation_timeout",
            member: \.confirmationTimeout,
            kind: .duration(.seconds(60) ... .seconds(30 * 86_400)),
            summary: "How long the user has to confirm a deferred transaction before it fails."
        ),
        Setting(
            "commerce.sandbox_delay",
            member: \.sandboxDelay,
            kind: .duration(.zero ... .seconds(86_400)),
            summary: "How long payments with the sandbox's timeout card remain pending."
        ),
    ]
}

extension SettingKind<String?> {
    /// The code of a region (ISO 3166-1 alpha-2) in uppercase.
    fileprivate static let region = SettingKind(wanted: "a country code such as AT") {
        input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        guard let region = Region(text) else {
            throw SettingMismatch(input, wanted: "a country code such as AT")
        }
        return region.code
    } show: {
        $0.map { .string($0) } ?? .null
    }
}

extension SettingKind<[Money]> {
    /// A list of amounts of money with at most one for each currency.
    ///
    /// An amount is written in the currency's major unit, followed by the currency code.
    fileprivate static let amounts = SettingKind(wanted: "a list of amounts such as 100.00 EUR") {
        input throws(SettingMismatch) in
        var amounts: [Money] = []
        for text in try SettingKind<[String]>.list.read(input) {
            guard let amount = Money(text), !amounts.contains(where: { $0.currency == amount.currency })
            else {
                throw SettingMismatch(
                    "contains \"\(text)\", which is not an amount such as 100.00 EUR or repeats a currency"
                )
            }
            amounts.append(amount)
        }
        return amounts
    } show: {
        .array($0.map { .string($0.description) })
    }
}
