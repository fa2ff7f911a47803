/// The three sample apps, each of which makes the documented calls in its own way.
enum Sample: CaseIterable, Sendable {
    case swift6, swift5, defaultMainActor
}

/// The calls that one sample app makes, which report their outcomes as text.
@MainActor
struct SampleCalls {
    typealias Report = (String) -> Void

    var sendCode: (_ phone: String, @escaping Report) -> Void
    var enterCode: (_ code: String, @escaping Report) -> Void
    var createAccount: (_ email: String?, _ phone: String, @escaping Report) -> Void
}

/// The calls that the sample makes with one client.
@MainActor
struct SampleApp {
    let customer: SampleCalls
    let pay: SampleCalls
    let logInCustomer: (_ phone: String, _ passcode: String, @escaping SampleCalls.Report) -> Void
    let logInBusiness: (_ email: String, _ password: String, @escaping SampleCalls.Report) -> Void
    let logOutCustomer: () -> Void
    let logOutBusiness: () -> Void
    /// Returns the notifications that the app's delegate has received.
    let changes: () -> [Bool]
}
