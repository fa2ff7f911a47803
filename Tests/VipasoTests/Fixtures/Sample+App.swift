import SampleDefaultMainActor
import SampleSwift5
import SampleSwift6
import VipasoPay
import VipasoSDK

extension Sample {
    /// Sets up the sample as the app itself does.
    @MainActor
    func app(_ configuration: VipasoConfiguration, pay: VipasoConfiguration) throws -> SampleApp {
        switch self {
        case .swift6:
            let setup = try SampleSwift6.AppSetup(configuration, pay: pay)
            let coordinator = SampleSwift6.Coordinator()
            coordinator.start(vipaso: setup.vipaso)
            coordinator.start(vipasoPay: setup.vipasoPay)
            let customer = SampleSwift6.CustomerSignupScreen(vipaso: setup.vipaso)
            let pay = SampleSwift6.PaySignupScreen(vipasoPay: setup.vipasoPay)
            let login = SampleSwift6.LoginScreen(vipaso: setup.vipaso)
            return SampleApp(
                customer: SampleCalls(
                    sendCode: { phone, report in customer.sendCode(to: phone) { report("\($0)") } },
                    enterCode: { code, report in customer.enter(otp: code) { report("\($0)") } },
                    createAccount: { email, phone, report in
                        customer.createAccount(
                            password: "000000",
                            email: email,
                            firstName: "User",
                            lastName: "Test",
                            phoneNumber: phone
                        ) { report("\($0)") }
                    }
                ),
                pay: SampleCalls(
                    sendCode: { phone, report in pay.sendCode(to: phone) { report("\($0)") } },
                    enterCode: { code, report in pay.enter(otp: code) { report("\($0)") } },
                    createAccount: { email, phone, report in
                        pay.createAccount(
                            password: "000000",
                            email: email,
                            firstName: "Pay User",
                            lastName: "Test",
                            phoneNumber: phone
                        ) { report("\($0)") }
                    }
                ),
                logInCustomer: { phone, passcode, report in
                    login.logInCustomer(phoneNumber: phone, password: passcode) { report("\($0)") }
                },
                logInBusiness: { email, password, report in
                    login.logInBusiness(email: email, password: password) { report("\($0)") }
                },
                logOutCustomer: { login.logOutCustomer() },
                logOutBusiness: { login.logOutBusiness() },
                changes: { coordinator.changes }
            )
        case .swift5:
            let setup = try SampleSwift5.AppSetup(configuration, pay: pay)
            let coordinator = SampleSwift5.Coordinator()
            coordinator.start(vipaso: setup.vipaso)
            coordinator.start(vipasoPay: setup.vipasoPay)
            let customer = SampleSwift5.CustomerSignupScreen(vipaso: setup.vipaso)
            let pay = SampleSwift5.PaySignupScreen(vipasoPay: setup.vipasoPay)
            let login = SampleSwift5.LoginScreen(vipaso: setup.vipaso)
            return SampleApp(
                customer: SampleCalls(
                    sendCode: { phone, report in customer.sendCode(to: phone) { report("\($0)") } },
                    enterCode: { code, report in customer.enter(otp: code) { report("\($0)") } },
                    createAccount: { email, phone, report in
                        customer.createAccount(
                            password: "000000",
                            email: email,
                            firstName: "User",
                            lastName: "Test",
                            phoneNumber: phone
                        ) { report("\($0)") }
                    }
                ),
                pay: SampleCalls(
                    sendCode: { phone, report in pay.sendCode(to: phone) { report("\($0)") } },
                    enterCode: { code, report in pay.enter(otp: code) { report("\($0)") } },
                    createAccount: { email, phone, report in
                        pay.createAccount(
                            password: "000000",
                            email: email,
                            firstName: "Pay User",
                            lastName: "Test",
                            phoneNumber: phone
                        ) { report("\($0)") }
                    }
                ),
                logInCustomer: { phone, passcode, report in
                    login.logInCustomer(phoneNumber: phone, password: passcode) { report("\($0)") }
                },
                logInBusiness: { email, password, report in
                    login.logInBusiness(email: email, password: password) { report("\($0)") }
                },
                logOutCustomer: { login.logOutCustomer() },
                logOutBusiness: { login.logOutBusiness() },
                changes: { coordinator.changes }
            )
        case .defaultMainActor:
            let setup = try SampleDefaultMainActor.AppSetup(configuration, pay: pay)
            let coordinator = SampleDefaultMainActor.Coordinator()
            coordinator.start(vipaso: setup.vipaso)
            coordinator.start(vipasoPay: setup.vipasoPay)
            let customer = SampleDefaultMainActor.CustomerSignupScreen(vipaso: setup.vipaso)
            let pay = SampleDefaultMainActor.PaySignupScreen(vipasoPay: setup.vipasoPay)
            let login = SampleDefaultMainActor.LoginScreen(vipaso: setup.vipaso)
            return SampleApp(
                customer: SampleCalls(
                    sendCode: { phone, report in customer.sendCode(to: phone) { report("\($0)") } },
                    enterCode: { code, report in customer.enter(otp: code) { report("\($0)") } },
                    createAccount: { email, phone, report in
                        customer.createAccount(
                            password: "000000",
                            email: email,
                            firstName: "User",
                            lastName: "Test",
                            phoneNumber: phone
                        ) { report("\($0)") }
                    }
                ),
                pay: SampleCalls(
                    sendCode: { phone, report in pay.sendCode(to: phone) { report("\($0)") } },
                    enterCode: { code, report in pay.enter(otp: code) { report("\($0)") } },
                    createAccount: { email, phone, report in
                        pay.createAccount(
                            password: "000000",
                            email: email,
                            firstName: "Pay User",
                            lastName: "Test",
                            phoneNumber: phone
                        ) { report("\($0)") }
                    }
                ),
                logInCustomer: { phone, passcode, report in
                    login.logInCustomer(phoneNumber: phone, password: passcode) { report("\($0)") }
                },
                logInBusiness: { email, password, report in
                    login.logInBusiness(email: email, password: password) { report("\($0)") }
                },
                logOutCustomer: { login.logOutCustomer() },
                logOutBusiness: { login.logOutBusiness() },
                changes: { coordinator.changes }
            )
        }
    }
}
