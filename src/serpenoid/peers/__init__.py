"""Other simulation packages behind the same questions: MuJoCo and Drake."""
