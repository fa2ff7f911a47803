package import LatchkeyCourier

/// The settings of the self-service flows.
package struct SelfServiceSettings: Sendable {
    package var flows = FlowSettings()
    package var registration = RegistrationSettings()
    package var login = LoginSettings()
    package var codes = CodeSettings()
    package var recovery = RecoverySettings()
    package var verification = VerificationSettings()
    package var changes = AccountChangeSettings()
    package var courier = CourierSettings()
    package var ui = UISettings()
    package var terms = TermsSettings()

    package init() {}
}
