import LatchkeyAccounts
import LatchkeyServerKit

/// The services that methods can use.
package struct MethodServices: Sendable {
    let environment: ServerEnvironment
    let accounts: AccountsModule
    let settings: SelfServiceSettings
    let forms: FormSettings
    /// The ways to enter an account that are enabled.
    let signIn: SignInMethods

    let lifecycle: FlowLifecycle
    let sender: CodeSender
    let verifier: CodeVerifier
    let prover: AddressProver
    let verifications: VerificationStarter
    let changes: TraitChange
    let login: LoginCompletion
    let registration: RegistrationCompletion
    let claims: ClaimedAddresses
}
